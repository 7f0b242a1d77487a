import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { registerApi, sendJson } from './register-api.ts';

const ENV = {
  ALLOW_PRIVATE_UPSTREAMS: 'true',
  ENCRYPTION_KEY: Buffer.alloc(32, 'k').toString('base64'),
};

describe.each(GATEWAY_BACKENDS)('an API of a tenant ($name)', (backend) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ backend, env: ENV });
  });
  afterAll(() => gateway.close());

  test('of a data portal takes its key in either form, and is sent it encoded once', async () => {
    const { key } = await gateway.createKey('portal');
    for (const [at, token] of ['a+portal/key==', 'a%2Bportal%2Fkey%3D%3D'].entries()) {
      const { job } = await registerApi(gateway, key, {
        name: `Portal ${at}`,
        spec_raw: echoing(gateway.upstream.url, 'x-items: /items').replace(
          'paths:',
          'x-public-data: true\npaths:',
        ),
        auth: { type: 'api_key', in: 'query', key_name: 'serviceKey', token },
      });
      gateway.upstream.answer((_request, response) => {
        response.setHeader('content-type', 'application/json').end('{"items":[]}');
      });
      await gateway.call(String(job.toolIds[0]).split('.').at(-1) ?? '', {}, key);
      expect(gateway.upstream.seen.at(-1)?.url).toContain('serviceKey=a%2Bportal%2Fkey%3D%3D');
    }
  });

  test('refuses a call whose arguments take long to check, and names the argument', async () => {
    const { key } = await gateway.createKey('hostile');
    const schema = '{ type: string, pattern: "^(?:\\\\p{1,200})+$" }';
    const spec_raw = echoing(
      gateway.upstream.url,
      `parameters: [{ name: q, in: query, schema: ${schema} }]`,
    );
    const { job } = await registerApi(gateway, key, { name: 'Hostile', spec_raw });
    expect(job.report.operations).toMatchObject([{ outcome: 'accepted' }]);
    const asked = gateway.upstream.seen.length;
    const { error } = (await gateway.call('echo', { q: `${'p'.repeat(60)}!` }, key)).body;
    expect(error).toMatchObject({
      code: -32602,
      data: { errors: [{ path: '/q', message: expect.stringContaining('longer than 100 ms') }] },
    });
    expect(gateway.upstream.seen).toHaveLength(asked);
    const audit = await gateway.json('/api/v1/audit?limit=1', { key });
    expect(audit.body.records).toMatchObject([{ tool: 'echo', outcome: 'error' }]);
  });

  test('ends a call with what it began with, also when it is deleted meanwhile', async () => {
    const { key } = await gateway.createKey('deleting');
    await registerApi(gateway, key, { name: 'Slow', spec_raw: echoing(gateway.upstream.url) });
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const asked = gateway.upstream.seen.length;
    gateway.upstream.answer(async (_request, response) => {
      await mayEnd;
      response.setHeader('content-type', 'application/json').end('{"late":true}');
    });
    const call = gateway.call('echo', {}, key);
    await until(() => gateway.upstream.seen.length > asked);
    const deleted = await gateway.json(
      `/api/v1/tools/${encodeURIComponent('@deleting.slow.echo')}`,
      { key, method: 'DELETE' },
    );
    expect(deleted.body).toMatchObject({ deleted: { name: 'Slow' } });
    end();
    expect((await call).body.result.data).toEqual({ late: true });
    expect((await gateway.call('echo', {}, key)).body.error.code).toBe(-32602);
    expect((await gateway.json('/api/v1/registrations', { key })).body.registrations).toEqual([]);
  });

  test('never shares a response with the same API of another tenant', async () => {
    const first = await gateway.createKey('twin-a');
    const second = await gateway.createKey('twin-b');
    for (const [{ key }, token] of [
      [first, 'token-of-a'],
      [second, 'token-of-b'],
    ] as const) {
      const auth = { type: 'bearer', token };
      await registerApi(gateway, key, {
        name: 'Twin',
        spec_raw: echoing(gateway.upstream.url, 'x-cache-ttl: 3600'),
        auth,
      });
    }
    let count = 0;
    gateway.upstream.answer((_request, response) => {
      response.setHeader('content-type', 'application/json').end(`{"count":${++count}}`);
    });
    const answers = [];
    for (const { key } of [first, second, first, second]) {
      const { body } = await gateway.call('echo', {}, key);
      answers.push([body.result.data.count, body.result.cacheStatus]);
    }
    expect(answers).toEqual([
      [1, 'MISS'],
      [2, 'MISS'],
      [1, 'HIT'],
      [2, 'HIT'],
    ]);
  });
});

describe('an address in a private network', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.close());

  test('is refused in every place of a registration before a byte is sent', async () => {
    const { key } = await gateway.createKey('curious');
    const { url } = gateway.upstream;
    const bodies = [
      { spec_url: `${url}/openapi.yaml` },
      { spec_raw: echoing(url) },
      {
        spec_raw: echoing('https://api.example.com'),
        auth: {
          type: 'oauth2_client_credentials',
          token_url: `${url}/token`,
          client_id: 'a',
          client_secret: 'b',
        },
      },
    ];
    for (const [at, body] of bodies.entries()) {
      const name = `Private ${at}`;
      const { status, body: answer } = await sendJson(gateway, 'POST', '/api/v1/register', key, {
        name,
        ...body,
      });
      if (status === 202) {
        await until(async () => {
          const job = await gateway.json(answer.status_url, { key });
          return job.body.progress === 1;
        });
        // An API of a private address may be described, but not called.
        const { result, error } = (await gateway.call('echo', {}, key)).body;
        expect(JSON.stringify(result ?? error)).toMatch(/public internet|Unknown tool/);
      } else expect(status).toBe(400);
    }
    expect(gateway.upstream.seen).toEqual([]);
  });
});

/** A description with one operation. */
const echoing = (url: string, extension = ''): string => `openapi: 3.1.0
info: { title: Echo, version: '1' }
servers: [{ url: '${url}' }]
paths:
  /echo:
    get:
      operationId: echo
      description: Returns what it was sent.
      ${extension}
      responses: { '200': { description: What it was sent. } }
`;
