import { once } from 'node:events';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  MAX_RUNNING_OF_SOURCE,
  MAX_WAIT_MS,
  MAX_WAITING_OF_SOURCE,
} from '../../src/access/keys/look-up-queue.ts';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import { zonedDay } from '../../src/platform/kernel/time.ts';
import { listAdminEvents } from '../support/admin-events.ts';
import { openTestDatabase } from '../support/databases.ts';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { verifies } from './requirements.ts';

const TOOLS = '/api/v1/tools?limit=1';

describe.each(GATEWAY_BACKENDS)('who may try keys ($name)', (backend) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const env = { AUTH_FAILURES_PER_MINUTE: '5', TRUST_PROXY: '1', RATE_LIMIT_PER_MINUTE: '0' };
    gateway = await startTestGateway({ backend, env });
  });
  afterAll(() => gateway.close());

  /** Sends a request as a client with that address, behind the proxy. */
  const askFrom = (address: string, headers: Record<string, string> = {}) =>
    gateway.json(TOOLS, { key: null, headers: { 'x-forwarded-for': address, ...headers } });
  const statusFrom = async (address: string, key?: string) =>
    (await askFrom(address, key === undefined ? {} : { 'x-api-key': key })).status;

  test(verifies('contract.no-key'), async () => {
    for (let i = 0; i < 20; i++) expect(await statusFrom('192.0.2.1')).toBe(401);
    expect(await statusFrom('192.0.2.1', '')).toBe(401);
    expect(await statusFrom('192.0.2.1', newApiKeyText())).toBe(401);
  });

  test.each([
    ['unknown', () => ({ 'x-api-key': newApiKeyText() })],
    ['malformed', () => ({ 'x-api-key': 'wrong' })],
    ['Basic', () => ({ authorization: 'Basic dTpw' })],
    ['contradictory', () => ({ 'x-api-key': newApiKeyText(), authorization: 'Bearer x' })],
  ])('%s keys are failures: 429 with Retry-After after so many', async (kind, headers) => {
    const address = `198.51.100.${kind.length}`;
    const first = await askFrom(address, headers());
    expect(first.status).toBe(401);
    expect(first.headers.get('www-authenticate')).toBe('Bearer');
    expect(first.body).toEqual({
      error: 'Unauthorized',
      message:
        'A valid API key is required. Send it in the header x-api-key, or in Authorization as a bearer token.',
    });
    for (let i = 1; i < 5; i++) expect((await askFrom(address, headers())).status).toBe(401);
    const refused = await askFrom(address, headers());
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.body.message).toMatch(/^Too many failed authentications from this address/);
    expect((await askFrom(address)).status).toBe(401);
    expect((await gateway.json('/health', { key: null })).status).toBe(200);
  });

  test('a forged address does not reset the failures of a client', async () => {
    for (let i = 0; i < 5; i++) {
      expect(await statusFrom(`10.9.9.${i}, 192.0.2.8`, newApiKeyText())).toBe(401);
    }
    expect(await statusFrom('10.9.9.9, 192.0.2.8', newApiKeyText())).toBe(429);
    expect(await statusFrom('192.0.2.8, 192.0.2.9', newApiKeyText())).toBe(401);
  });

  test(verifies('contract.good-key'), async () => {
    const address = '203.0.113.7';
    for (let i = 0; i < 30; i++) await statusFrom(address, newApiKeyText());
    expect(await statusFrom(address, newApiKeyText())).toBe(429);
    const { key } = await gateway.createKey('good');
    expect(await statusFrom(address, key)).toBe(200);
    expect(await statusFrom(address, key)).toBe(200);
    expect(await statusFrom(address, newApiKeyText())).toBe(429);
  });
});

describe.each(GATEWAY_BACKENDS.filter(({ name }) => name === 'postgres'))(
  'while the database is slow ($name)',
  (backend) => {
    test('a limited number of unknown keys wait, further ones get 503 with Retry-After, known ones keep working', async () => {
      const gateway = await startTestGateway({ backend });
      const elsewhere = await openTestDatabase(gateway.place);
      const unlock = Promise.withResolvers<void>();
      try {
        const known = await gateway.createKey('known');
        await gateway.json(TOOLS, { key: known.key });
        const late = await gateway.createKey('late');
        const locked = Promise.withResolvers<void>();
        const holding = elsewhere.db.transaction().execute(async (transaction) => {
          await sql`lock table api_keys in access exclusive mode`.execute(transaction);
          locked.resolve();
          await unlock.promise;
        });
        await locked.promise;
        const startedMs = performance.now();
        const waiting = gateway.json(TOOLS, { key: late.key });
        const statuses: number[] = [];
        const bad = Array.from({ length: 150 }, async () => {
          const response = await gateway.json(TOOLS, { key: newApiKeyText() });
          statuses.push(response.status);
          if (response.status === 503) expect(response.headers.get('retry-after')).toBe('1');
        });
        const refused = 151 - MAX_RUNNING_OF_SOURCE - MAX_WAITING_OF_SOURCE;
        await until(() => statuses.length >= refused);
        expect(new Set(statuses)).toEqual(new Set([503]));
        expect((await gateway.json(TOOLS, { key: known.key })).status).toBe(200);
        unlock.resolve();
        await holding;
        await Promise.all(bad);
        // On a slow machine, some of the others may wait too long, and are refused as well.
        const most = performance.now() - startedMs < MAX_WAIT_MS ? refused : statuses.length;
        expect(statuses.filter((status) => status === 503).length).toBeLessThanOrEqual(most);
        expect((await waiting).status).toBe(200);
      } finally {
        unlock.resolve();
        await elsewhere.close();
        await gateway.close();
      }
    });
  },
);

describe(verifies('contract.address'), () => {
  /** The client address in the audit record of a call with this header. */
  async function recordedFrom(gateway: TestGateway, forwarded: string): Promise<string> {
    const call = await gateway.json('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': forwarded },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'frankfurter_rates' },
      }),
    });
    const { auditId } = call.body.result;
    return (await gateway.json(`/api/v1/audit/${auditId}`)).body.clientIp;
  }

  test.each([
    ['1', '9.9.9.9, 1.1.1.1', '1.1.1.1'],
    ['127.0.0.0/8, 10.0.0.0/8', '9.9.9.9, ::ffff:1.1.1.1, 10.0.0.9', '1.1.1.1'],
  ])('TRUST_PROXY=%s (row %#)', async (trustProxy, forwarded, address) => {
    const gateway = await startTestGateway({ env: { TRUST_PROXY: trustProxy } });
    try {
      expect(await recordedFrom(gateway, forwarded)).toBe(address);
    } finally {
      await gateway.close();
    }
  });
});

describe.each(GATEWAY_BACKENDS)('an exhausted rate limit ($name)', (backend) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ backend, env: { RATE_LIMIT_PER_MINUTE: '1' } });
    await gateway.json(TOOLS);
  });
  afterAll(() => gateway.close());

  const call = (padding: number) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'frankfurter_rates', arguments: {}, _meta: { x: 'x'.repeat(padding) } },
    });
  const DIALECTS = {
    plain: {},
    'streamable-http': { 'mcp-protocol-version': '2025-06-18', accept: 'text/event-stream' },
    stateless: { 'mcp-protocol-version': '2026-07-28' },
  };
  const post = (dialect: keyof typeof DIALECTS, body: RequestInit['body']) =>
    gateway.fetch('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...DIALECTS[dialect] },
      body: body ?? null,
      duplex: 'half',
    } as RequestInit);

  test.each(['plain', 'streamable-http', 'stateless'] as const)(
    `${verifies('contract.429-unread')}: %s`,
    async (dialect) => {
      for (const body of [call(20_000), call(900_000), new Blob([call(1)]).stream()]) {
        const response = await post(dialect, body);
        expect(response.status).toBe(429);
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(await response.json()).toMatchObject({ error: 'Too Many Requests' });
      }
    },
  );

  test('a small body gets an error in its dialect', async () => {
    const response = await post('streamable-http', call(100));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ result: { isError: true } });
  });

  test.each([
    ['its rate limit', () => gateway.key, '429'],
    ['a bad key', () => 'wrong', '401'],
  ])('a client that sends on after it was refused for %s is cut off', async (_why, key, status) => {
    const { port } = new URL(gateway.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: x\r\nx-api-key: ${key()}\r\ncontent-type: application/json\r\ncontent-length: 9000000000\r\n\r\n`,
    );
    const [head] = await once(socket, 'data');
    expect(String(head)).toContain(`HTTP/1.1 ${status} `);
    const chunk = Buffer.alloc(1024 * 1024);
    const send = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', send);
    send();
    await closed;
    expect(socket.bytesWritten).toBeLessThan(64 * 1024 * 1024);
  });
});

describe.each(GATEWAY_BACKENDS)('the limits of a key ($name)', (backend) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ backend, env: { RATE_LIMIT_PER_MINUTE: '0' } });
  });
  afterAll(() => gateway.close());

  test(verifies('contract.key-limits'), async () => {
    const { key } = await gateway.createKey('own', { rateLimitPerMinute: 2 });
    for (const left of [1, 0]) {
      const { status, headers } = await gateway.json(TOOLS, { key });
      expect([status, headers.get('ratelimit')]).toEqual([
        200,
        expect.stringMatching(new RegExp(`^"key";r=${left};t=\\d+$`)),
      ]);
    }
    const { status, headers, body } = await gateway.json(TOOLS, { key });
    expect([status, headers.get('ratelimit-policy')]).toEqual([429, '"key";q=2;w=60']);
    expect(body.message).toMatch(/^The rate limit of this API key is used up\. Retry in \d+ s\.$/);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect((await gateway.json(TOOLS)).headers.get('ratelimit')).toBeNull();
  });

  test.each([
    ['plain', {}],
    ['streamable-http', { 'mcp-protocol-version': '2025-06-18', accept: 'text/event-stream' }],
    ['stateless', { 'mcp-protocol-version': '2026-07-28' }],
  ])(`${verifies('contract.daily-limit')}: %s`, async (_dialect, extra) => {
    const { key } = await gateway.createKey('daily', { dailyLimit: 3, rateLimitPerMinute: 9 });
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
    const call = { ...message, params: { name: 'frankfurter_rates', arguments: { base: 'USD' } } };
    const send = async (body: unknown) => {
      const response = await gateway.fetch('/mcp', {
        method: 'POST',
        key,
        headers: { 'content-type': 'application/json', ...extra },
        body: JSON.stringify(body),
      });
      return { headers: response.headers, text: await response.text() };
    };
    const first = await send(call);
    expect(first.headers.get('ratelimit')).toMatch(/^"day";r=2;t=\d+, "key";r=8;t=\d+$/);
    const batch = await send([call, call, call]);
    // Only the plain dialect has batches.
    expect(batch.text).toMatch(
      /exceeds the daily limit of this API key|batch|must be a JSON object/,
    );
    // The first entry counted, the others did not.
    expect((await send(call)).headers.get('ratelimit')).toMatch(/^"day";r=0;/);
    // A larger body is refused unread, in every dialect alike.
    const refused = await send({ ...call, padding: 'x'.repeat(20_000) });
    expect(refused.text).toContain('The daily limit of this API key is used up.');
    expect(refused.headers.get('ratelimit-policy')).toBe('"day";q=3;w=86400, "key";q=9;w=60');
    const overRest = await gateway.json(TOOLS, { key });
    expect(overRest.status).toBe(429);
    const midnight = zonedDay(Date.now(), 'Asia/Seoul').endMs / 1000 - Date.now() / 1000;
    expect(Math.abs(Number(overRest.headers.get('retry-after')) - midnight)).toBeLessThan(5);
  });
});

describe.each(GATEWAY_BACKENDS)('the limits of a tenant ($name)', (backend) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const env = { RATE_LIMIT_PER_MINUTE: '4', TENANT_RATE_LIMIT_PER_MINUTE: '12' };
    gateway = await startTestGateway({ backend, env });
  });
  afterAll(() => gateway.close());

  const ask = async (key: string) => {
    const { status, headers, body } = await gateway.json(TOOLS, { key });
    return { status, message: body.message, limit: headers.get('ratelimit'), headers };
  };

  test(verifies('contract.tenant-limit'), async () => {
    const keys: string[] = [];
    for (let n = 0; n < 20; n++) keys.push((await gateway.createKey('many')).key);
    // A key with more from an operator is bounded, too.
    keys.push((await gateway.createKey('many', { rateLimitPerMinute: 1000 })).key);
    const [first = ''] = keys;
    expect((await ask(first)).limit).toMatch(/^"key";r=3;t=\d+$/);
    // What the limit of a key refuses does not count for the tenant.
    for (let n = 0; n < 30; n++) await ask(first);
    const all = await Promise.all(keys.map(ask));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(12 - 4);
    const last = await ask(keys.at(-1) ?? '');
    expect(last.status).toBe(429);
    expect(last.message).toMatch(
      /^The rate limit of all API keys of this tenant together is used up\. Retry in \d+ s\.$/,
    );
    expect(last.limit).toMatch(/^"tenant";r=0;t=\d+$/);
    expect(last.headers.get('ratelimit-policy')).toBe('"tenant";q=12;w=60');
    const seconds = Number(last.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    // What the tenant's limit refused did not count for the key of another tenant, nor for its tenant.
    const other = await gateway.createKey('few');
    expect((await ask(other.key)).limit).toMatch(/^"key";r=3;/);
  });

  test('count batches and large bodies as the limit of a key does, and say which limit it was', async () => {
    const { key } = await gateway.createKey('batches', { rateLimitPerMinute: 1000 });
    const batch = Array.from({ length: 12 }, () => ({ jsonrpc: '2.0', id: 1, method: 'ping' }));
    expect(JSON.stringify((await gateway.rpc(batch, key)).body)).not.toContain('rate limit');
    const refused = await gateway.rpc(
      [...batch, ...batch],
      (await gateway.createKey('batches')).key,
    );
    expect(refused.status).toBe(429);
    expect(refused.body.message).toContain('all API keys of this tenant together');
    const large = await gateway.createKey('large', { rateLimitPerMinute: 1000 });
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }).padEnd(900_000);
    expect((await gateway.rpc(body, large.key)).body.message).toContain(
      'exceeds the rate limit of all API keys of this tenant together',
    );
  });

  test(verifies('contract.rate-limit-cap'), async () => {
    const given = await gateway.createKey('capped', { rateLimitPerMinute: 1000 });
    const { id, key } = await gateway.createKey('capped', { rateLimitPerMinute: 1000 });
    const database = await openTestDatabase({
      ...gateway.place,
      dataDir: gateway.settings.DATA_DIR,
    });
    try {
      // As every key was before an operator's limit was remembered.
      const before = { operator_rate_limit: null };
      await database.db.updateTable('api_keys').set(before).where('id', '=', id).execute();
    } finally {
      await database.close();
    }
    expect((await ask(key)).limit).toMatch(/^"key";r=3;/);
    expect((await ask(given.key)).limit).toMatch(/^"tenant";r=10;/);
  });
});

describe.each(GATEWAY_BACKENDS)('what an operator can find out afterwards ($name)', (backend) => {
  let gateway: TestGateway;
  // biome-ignore lint/suspicious/noExplicitAny: tests read lines whose shape is under test.
  const lines: any[] = [];
  const logger = pino(
    { level: 'info', base: null },
    new Writable({
      write: (chunk, _encoding, done) => {
        lines.push(JSON.parse(String(chunk)));
        done();
      },
    }),
  );
  const of = (event: string) => lines.filter((line) => line.event === event);

  beforeAll(async () => {
    const env = {
      AUTH_FAILURES_PER_MINUTE: '3',
      RATE_LIMIT_PER_MINUTE: '3',
      ADMIN_PASSWORD: 'p4ss',
    };
    gateway = await startTestGateway({ backend, env, logger });
  });
  afterAll(() => gateway.close());

  test(verifies('contract.security-log'), async () => {
    expect(of('started')).toMatchObject([
      {
        settings: { AUTH_FAILURES_PER_MINUTE: 3, ADMIN_PASSWORD: 'set', BOOTSTRAP_API_KEY: 'set' },
      },
    ]);
    const { id, key } = await gateway.createKey('watched', { allowedTools: ['kma_*'] });
    await until(() => of('key_created').some(({ apiKeyId }) => apiKeyId === id));
    await gateway.call('frankfurter_rates', {}, key);
    expect(of('tool_denied')).toMatchObject([
      { tool: 'frankfurter_rates', tenant: 'watched', apiKeyId: id, address: '127.0.0.1' },
    ]);
    await gateway.call('no_such_tool', {}, key);
    expect(of('tool_denied')).toHaveLength(1);
    for (let i = 0; i < 50; i++) await gateway.json(TOOLS, { key });
    expect(of('rate_limited')).toHaveLength(3);
    expect(of('rate_limited')[0]).toMatchObject({ tenant: 'watched', apiKeyId: id });
    for (let i = 0; i < 50; i++) await gateway.json(TOOLS, { key: newApiKeyText() });
    expect(of('auth_failed').map(({ address }) => address)).toEqual(new Array(3).fill('127.0.0.1'));
    expect(of('auth_blocked')).toHaveLength(3);
    await gateway.revokeKey(id);
    await until(() => of('key_revoked').some(({ apiKeyId }) => apiKeyId === id));
    const written = JSON.stringify(lines);
    for (const secret of [key, gateway.key, 'p4ss', 'tg_live_'])
      expect(written).not.toContain(secret);
  });

  test(verifies('contract.trail'), async () => {
    const { id } = await gateway.createKey('trailed');
    await gateway.revokeKey(id);
    const database = await openTestDatabase({
      ...gateway.place,
      dataDir: `${gateway.place.dataDir}/data`,
    });
    try {
      const events = await listAdminEvents(database.db, { limit: 100 });
      const ofKey = events.filter(({ subjectId }) => subjectId === id);
      expect(ofKey.map(({ action }) => action)).toEqual(['key.revoked', 'key.created']);
      expect(events.findLast(({ action }) => action === 'key.created')).toMatchObject({
        actor: 'start',
        details: { name: 'bootstrap' },
      });
    } finally {
      await database.close();
    }
  });
});
