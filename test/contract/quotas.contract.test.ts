import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../../src/platform/kernel/secret.ts';
import { registerApi, sendJson } from '../own-apis/register-api.ts';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { openSse, type SseClient } from '../support/sse-client.ts';
import { until } from '../support/until.ts';
import { verifies } from './requirements.ts';

/** A provider that allows 20 requests a day for each operation. */
const PORTAL = `openapi: 3.1.0
info: { title: Portal, version: "1" }
servers: [{ url: "http://portal.invalid" }]
x-public-data: true
x-quota: { calls: 20 }
paths:
  /limited:
    get:
      operationId: portal_limited
      parameters:
        - { name: n, in: query, description: A number., schema: { type: integer } }
        - { name: serviceKey, in: query, x-secret: PUBLIC_DATA_SERVICE_KEY, schema: { type: string } }
      responses: { "200": { description: Anything. } }
  /other:
    get:
      operationId: portal_other
      parameters:
        - { name: n, in: query, description: A number., schema: { type: integer } }
        - { name: serviceKey, in: query, x-secret: PUBLIC_DATA_SERVICE_KEY, schema: { type: string } }
      responses: { "200": { description: Anything. } }
`;

/** A provider that counts the requests of an address. */
const OPEN = `openapi: 3.1.0
info: { title: Open, version: "1" }
servers: [{ url: "http://open.invalid" }]
x-quota: { calls: 20 }
paths:
  /open:
    get:
      operationId: open_data
      parameters: [{ name: n, in: query, description: A number., schema: { type: integer } }]
      responses: { "200": { description: Anything. } }
`;

const json = (response: ServerResponse, value: unknown): void =>
  void response.setHeader('content-type', 'application/json').end(JSON.stringify(value));

const refusal = (code: string) => ({
  OpenAPI_ServiceResponse: { cmmMsgHeader: { errMsg: 'SERVICE ERROR', returnReasonCode: code } },
});

describe.each(GATEWAY_BACKENDS)('quotas of providers ($name)', (backend) => {
  let gateway: TestGateway;
  let n = 0;
  beforeEach(async () => {
    gateway = await startTestGateway({
      backend,
      presets: { portal: PORTAL, open: OPEN },
      secrets: () => new Secret('key-of-the-operator'),
      env: {
        RATE_LIMIT_PER_MINUTE: '1000',
        ALLOW_PRIVATE_UPSTREAMS: 'true',
        ENCRYPTION_KEY: Buffer.alloc(32, 'k').toString('base64'),
      },
    });
    gateway.upstream.answer((_request, response) => json(response, { ok: true }));
  });
  afterEach(() => gateway.close());

  /** Asks what was not asked before. */
  const ask = (key?: string, tool = 'portal_limited') => gateway.call(tool, { n: ++n }, key);
  const askAll = async (times: number, key?: string) => {
    const all = await Promise.all(Array.from({ length: times }, () => ask(key)));
    return all.map(({ body }) => (body.error ? body.error.data.reason : 'sent'));
  };

  test(verifies('quota.kept', 'quota.error'), async () => {
    const outcomes = await askAll(40);
    expect(outcomes.filter((each) => each === 'sent')).toHaveLength(20);
    expect(new Set(outcomes)).toEqual(new Set(['sent', 'quota']));
    expect(gateway.upstream.seen).toHaveLength(20);
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(body.error).toMatchObject({
      code: -32000,
      message: expect.stringContaining('no request was sent'),
      data: {
        tool: 'portal_limited',
        auditId: expect.stringMatching(/^aud_/),
        reason: 'quota',
        cause: 'quota',
        retryable: true,
        retryAfterSeconds: expect.any(Number),
        quota: {
          scope: 'key',
          limit: 20,
          used: 20,
          resetsAt: expect.stringMatching(/T15:00:00.000Z$/),
        },
      },
    });
    // The portal counts for each operation.
    expect((await ask(undefined, 'portal_other')).body.result.data).toEqual({ ok: true });
  });

  test(`${verifies('quota.kept')}: retries`, async () => {
    gateway.upstream.answer((_request, response) => void response.writeHead(503).end());
    for (let turn = 0; turn < 12; turn++) await ask();
    expect(gateway.upstream.seen.length).toBeLessThanOrEqual(20);
    gateway.upstream.answer(
      ({ url }, response) => void response.writeHead(302, { location: `${url}&again` }).end(),
    );
    for (let turn = 0; turn < 12; turn++) await ask(undefined, 'portal_other');
    const redirected = gateway.upstream.seen.filter(({ url }) => url.startsWith('/other'));
    expect(redirected.length).toBeLessThanOrEqual(20);
  });

  test(verifies('quota.shared'), async () => {
    const other = await gateway.createKey('other');
    expect((await ask(other.key)).body.result).toBeDefined();
    const greedy = (await askAll(40)).filter((each) => each === 'sent');
    expect(greedy).toHaveLength(10);
    const { body } = await ask();
    expect(body.error.data.quota).toMatchObject({ scope: 'tenant', limit: 10, used: 10 });
    expect((await askAll(9, other.key)).every((each) => each === 'sent')).toBe(true);
    expect(gateway.upstream.seen).toHaveLength(20);
  });

  test(verifies('quota.refusal'), async () => {
    gateway.upstream.answer((_request, response) => json(response, refusal('22')));
    const { body } = await ask();
    expect(body.result.publicData).toMatchObject({ code: '22' });
    await until(async () => (await ask()).body.error !== undefined);
    const sent = gateway.upstream.seen.length;
    expect(sent).toBe(1);
    expect(await askAll(20)).toEqual(Array.from({ length: 20 }, () => 'quota'));
    expect(gateway.upstream.seen).toHaveLength(sent);
  });

  /** Registers an API at the address of a preset's operation, which takes every response for a refusal for quota. */
  async function registerLiar(key: string, path: string, credential?: string): Promise<string> {
    const operation = `GET ${path}`;
    const success = { code: '/code', values: ['ok'], causes: { '77': 'quota' } };
    gateway.upstream.answer((_request, response) => json(response, { code: '77' }));
    await registerApi(gateway, key, {
      name: `Liar ${path}`,
      spec_raw: JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'Liar', version: '1' },
        servers: [{ url: gateway.upstream.url }],
        paths: {
          [path]: {
            get: {
              operationId: `liar${path.slice(1)}`,
              description: 'Anything.',
              parameters: [{ name: 'serviceKey', in: 'query', schema: { type: 'string' } }],
              responses: { 200: { description: 'Anything.' } },
            },
          },
        },
      }),
      auth: { type: 'provider_key', name: 'PUBLIC_DATA_SERVICE_KEY' },
      extensions: [
        { extension: 'x-quota', value: { calls: 20 } },
        { operation, extension: 'x-success', value: success },
        ...(credential ? [{ operation, extension: 'x-credential', value: credential }] : []),
      ],
    });
    return `liar${path.slice(1)}`;
  }
  const storeKey = (key: string) =>
    sendJson(gateway, 'PUT', '/api/v1/provider-keys/PUBLIC_DATA_SERVICE_KEY', key, {
      value: 'one-value-of-two-tenants',
    });

  test(`${verifies('quota.apart')}: of requests without a key`, async () => {
    const liar = (await gateway.createKey('liar')).key;
    await storeKey(liar);
    const tool = await registerLiar(liar, '/open');
    for (let turn = 0; turn < 2; turn++) {
      const { result } = (await gateway.call(tool, {}, liar)).body;
      expect(result).toMatchObject({ cause: 'quota' });
    }
    expect((await ask(undefined, 'open_data')).body.result.data).toEqual({ code: '77' });
    expect((await ask(liar, 'open_data')).body.result.data).toEqual({ code: '77' });
  });

  test(`${verifies('quota.apart')}: of two tenants with one key`, async () => {
    const [liar = '', other = ''] = [
      (await gateway.createKey('liar')).key,
      (await gateway.createKey('other')).key,
    ];
    for (const key of [liar, other]) await storeKey(key);
    const tool = await registerLiar(liar, '/limited', 'serviceKey');
    expect((await gateway.call(tool, {}, liar)).body.result).toMatchObject({ cause: 'quota' });
    // It has closed what it uses itself.
    await until(async () => (await ask(liar)).body.error?.data.reason === 'quota');
    expect((await ask(other)).body.result.data).toEqual({ code: '77' });
    const { body } = await gateway.json('/api/v1/provider-keys/PUBLIC_DATA_SERVICE_KEY', {
      key: other,
    });
    expect(JSON.stringify(body)).not.toContain('exhausted');
  });

  test(verifies('quota.override'), async () => {
    const operator = await gateway.createKey('default', { scope: 'operator' });
    const say = (calls: number, dataset = 'fixture/portal') =>
      gateway.json('/api/v1/admin/provider-keys/PUBLIC_DATA_SERVICE_KEY/quota', {
        method: 'POST',
        key: operator.key,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ dataset, calls }),
      });
    const sent = (outcomes: string[]): number => outcomes.filter((each) => each === 'sent').length;
    expect((await say(5)).status).toBe(200);
    expect(sent(await askAll(10))).toBe(5);
    expect((await say(5)).body).toMatchObject({ state: 'exhausted', since: null });
    await say(30);
    // Those that got nothing ask again after a second.
    await sleep(1100);
    expect(sent(await askAll(40))).toBe(25);
    expect(JSON.stringify((await say(5, 'fixture/portall')).body)).toContain('fixture/portal?');
    expect((await say(-1)).status).toBe(400);
  });

  test(verifies('quota.warning'), async () => {
    const operator = await gateway.createKey('default', { scope: 'operator' });
    const streams = [
      await openSse(gateway.url, operator.key),
      await openSse(gateway.url, gateway.key),
    ];
    await askAll(20);
    const warningsOf = ({ events }: SseClient) => events.filter(({ name }) => name === 'quota');
    const [ofOperator, ofOther] = streams as [SseClient, SseClient];
    await until(() => warningsOf(ofOperator).length > 0);
    expect(warningsOf(ofOperator).map(({ data }) => JSON.parse(data))).toEqual([
      {
        name: 'PUBLIC_DATA_SERVICE_KEY',
        dataset: 'fixture/portal',
        limit: 20,
        remaining: 0,
        percent: 95,
        resetsAt: expect.stringMatching(/T15:00:00.000Z$/),
      },
    ]);
    expect(warningsOf(ofOther)).toEqual([]);
    for (const stream of streams) stream.close();
  });
});
