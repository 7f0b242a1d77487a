import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { openSse } from '../support/sse-client.ts';
import { until } from '../support/until.ts';
import { registerApi, sendJson } from './register-api.ts';

const TOKEN = 'practice-token';
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

  const practice = () => `${gateway.sandbox.url}/practice/openapi.yaml`;

  test('goes from its registration over events and the list of tools to a call', async () => {
    const { key } = await gateway.createKey('reader');
    const stream = await openSse(gateway.url, key);
    const accepted = await sendJson(gateway, 'POST', '/api/v1/register', key, {
      name: 'Reading List',
      spec_url: practice(),
      auth: { type: 'bearer', token: TOKEN },
    });
    expect(accepted.status).toBe(202);
    const events = () =>
      stream.events.filter(({ name }) => name === 'byoapi').map(({ data }) => JSON.parse(data));
    await until(() => events().at(-1)?.job.progress === 1);
    expect(events().map(({ status }) => status)).toEqual([
      'queued',
      'fetching',
      'validating',
      'converting',
      'registered',
    ]);
    const { job } = events().at(-1);
    expect(job.toolIds).toEqual([
      '@reader.reading-list.listbooks',
      '@reader.reading-list.addbook',
      '@reader.reading-list.getbook',
    ]);
    const list = await gateway.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, key);
    const names = list.body.result.tools.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['listbooks', 'addbook', 'getbook']));
    const found = await gateway.call('listbooks', { author: 'Borges' }, key);
    expect(found.body.result.data).toMatchObject({ books: [{ title: 'Ficciones' }] });
    const added = await gateway.call('addbook', { title: 'Solaris', author: 'Lem' }, key);
    expect(added.body.result.upstream.status).toBe(201);
    stream.close();
  });

  test('is announced to the sessions of its tenant, and to no others', async () => {
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'a' } },
    };
    const openSession = async (key: string) => {
      const stream = await openSse(gateway.url, key);
      await sendJson(gateway, 'POST', `/mcp?sessionId=${stream.clientId}`, key, initialize);
      await until(() => stream.messages().length === 1);
      return stream;
    };
    const { key } = await gateway.createKey('announcing');
    const own = await openSession(key);
    const other = await openSession((await gateway.createKey('elsewhere')).key);
    const announced = ({ messages }: typeof own) =>
      messages().filter(({ method }) => method === 'notifications/tools/list_changed').length;
    const { registration } = await registerApi(gateway, key, {
      name: 'Echo',
      spec_raw: echoing(gateway.upstream.url),
    });
    // A change may be announced twice.
    await until(() => announced(own) > 0);
    const before = announced(own);
    await gateway.json(`/api/v1/registrations/${registration.id}`, { key, method: 'DELETE' });
    await until(() => announced(own) > before);
    expect(announced(other)).toBe(0);
    own.close();
    other.close();
  });

  test('shows its credential to nobody but its API', async () => {
    const { key } = await gateway.createKey('careful');
    const secret = 'a-token-that-nobody-may-see';
    const auth = { type: 'bearer', token: secret };
    const { registration } = await registerApi(gateway, key, {
      name: 'Fixture',
      spec_raw: echoing(gateway.upstream.url),
      auth,
    });
    gateway.upstream.answer(({ headers }, response) => {
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ got: headers.authorization }));
    });
    const called = await gateway.call('echo', {}, key);
    expect(gateway.upstream.seen.at(-1)?.headers.authorization).toBe(`Bearer ${secret}`);
    const surfaces = [
      called.body,
      (await gateway.json('/api/v1/audit', { key })).body,
      (await gateway.json('/api/v1/registrations', { key })).body,
      (await gateway.json(`/api/v1/registrations/${registration.id}`, { key })).body,
      (await gateway.json('/health/detailed', { key })).body,
    ];
    expect(JSON.stringify(surfaces)).not.toContain(secret);
    expect(registration.auth).toEqual({ type: 'bearer', set: true });
  });

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

  test('is called with a new credential as soon as that is stored', async () => {
    const { key } = await gateway.createKey('rotating');
    const { registration } = await registerApi(gateway, key, {
      name: 'Books',
      spec_url: practice(),
      auth: { type: 'bearer', token: 'wrong' },
    });
    expect((await gateway.call('listbooks', {}, key)).body.result.upstream.status).toBe(401);
    const auth = { type: 'bearer', token: TOKEN };
    const path = `/api/v1/registrations/${registration.id}`;
    expect((await sendJson(gateway, 'PATCH', path, key, { auth })).status).toBe(200);
    expect((await gateway.call('listbooks', {}, key)).body.result.upstream.status).toBe(200);
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
