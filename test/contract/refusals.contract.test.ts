import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import { ADMIN_ENV, type AdminClient, joinAsViewer, signIn } from '../support/admin-client.ts';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { ACCEPTS_EVENTS, rpc } from '../support/rpc-requests.ts';
import { openSse } from '../support/sse-client.ts';
import { stateless } from './mcp-requests.ts';
import { verifies } from './requirements.ts';

const CALL = 'tools/call';
const WAIT = { timeout: 45_000, interval: 300 };

describe.each(GATEWAY_BACKENDS)('refused requests ($name)', (backend) => {
  let gateway: TestGateway;
  let operator: AdminClient;
  let viewer: AdminClient;

  beforeAll(async () => {
    gateway = await startTestGateway({ backend, env: ADMIN_ENV });
    operator = await signIn(gateway);
    viewer = await joinAsViewer(gateway, operator);
  });
  afterAll(() => gateway.close());

  const post = (key: string, body: unknown, headers: object = {}, path = '/mcp') =>
    gateway.json(path, {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  /** Sends a call in each dialect. */
  const SENDERS: Readonly<Record<string, (key: string, params: object) => Promise<unknown>>> = {
    plain: (key, params) => post(key, rpc(CALL, params)),
    'streamable HTTP': (key, params) => post(key, rpc(CALL, params), ACCEPTS_EVENTS),
    stateless: (key, params) => {
      const { headers, body } = stateless(CALL, params);
      return post(key, body, headers);
    },
    'HTTP+SSE': async (key, params) => {
      const stream = await openSse(gateway.url, key);
      await post(key, rpc(CALL, params), {}, `/mcp?sessionId=${stream.clientId}`);
      await vi.waitFor(() =>
        expect(stream.messages()).toContainEqual(expect.objectContaining({ id: 1 })),
      );
      stream.close();
    },
  };

  const reasonsOf = async (address: string) => {
    const { body } = await viewer.ask(`GET ${address}`);
    const reasons: { reason: string; count: number }[] = body.reasons;
    return Object.fromEntries(reasons.map(({ reason, count }) => [reason, count]));
  };
  const ofKey = (id: string) => `/tenants/default/statistics/refusals?key=${id}`;
  const expectCounted = (id: string, reasons: object) =>
    vi.waitFor(async () => expect(await reasonsOf(ofKey(id))).toEqual(reasons), WAIT);

  test.each(Object.entries(SENDERS))(`${verifies('refusals.counted')}: %s`, async (_, send) => {
    const { id, key } = await gateway.createKey('default', {
      allowedTools: ['frankfurter_rates'],
    });
    await send(key, { name: 'no_such_tool' });
    await send(key, { name: 'no_such_tool_either' });
    await send(key, { name: 'worldbank_indicator' });
    await send(key, { name: 'frankfurter_rates', arguments: 'none' });
    // These have records.
    await send(key, { name: 'frankfurter_rates' });
    await send(key, { name: 'frankfurter_rates', arguments: { base: 7 } });
    await expectCounted(id, { unknown_tool: 2, tool_not_allowed: 1, invalid_request: 1 });
    const { body } = await viewer.ask(`GET /tenants/default/keys/${id}`);
    expect(body).toMatchObject({ refusedToday: 4, callsToday: 2, failuresToday: 1 });
  });

  test('messages that cannot be read are counted, and methods that do not exist are not', async () => {
    const { id, key } = await gateway.createKey('default');
    await post(key, '{');
    await post(key, '{', ACCEPTS_EVENTS);
    await post(key, { method: CALL });
    await post(key, { method: CALL }, ACCEPTS_EVENTS);
    await post(key, []);
    await post(key, [rpc(CALL, {}), { method: CALL }]);
    await post(key, rpc(CALL, {}), ACCEPTS_EVENTS, '/mcp?category=nothing');
    await post(key, stateless(CALL, { name: 'frankfurter_rates' }).body);
    await post(key, rpc('resources/subscribe', {}));
    await post(key, rpc('tools/list', { cursor: 7 }), ACCEPTS_EVENTS);
    await expectCounted(id, { invalid_request: 9 });
  });

  test('the tools that search the others count, and a call through them once', async () => {
    const { id, key } = await gateway.createKey('default', { mode: 'search' });
    const call = (name: string, args: object) => post(key, rpc(CALL, { name, arguments: args }));
    await call('call_tool', { name: 'no_such_tool' });
    await call('describe_tools', { names: ['no_such_tool'] });
    await call('call_tool', { name: 'frankfurter_rates', arguments: [] });
    await call('find_tools', {});
    await call('call_tool', { name: 'frankfurter_rates', arguments: { base: 7 } });
    await expectCounted(id, { unknown_tool: 2, invalid_request: 2 });
  });

  test('requests beyond a limit are counted by the limit, a batch once', async () => {
    const slow = await gateway.createKey('default', { rateLimitPerMinute: 2 });
    await post(slow.key, [rpc(CALL, {}, 1), rpc(CALL, {}, 2), rpc(CALL, {}, 3)]);
    for (let n = 0; n < 2; n++) await post(slow.key, rpc(CALL, { name: 'frankfurter_rates' }));
    const daily = await gateway.createKey('default', { dailyLimit: 1 });
    for (const headers of [{}, {}, ACCEPTS_EVENTS]) {
      await post(daily.key, rpc(CALL, { name: 'frankfurter_rates' }), headers);
    }
    await gateway.json('/api/v1/tools', { key: daily.key });
    await expectCounted(daily.id, { daily_limit: 3 });
    await expectCounted(slow.id, { rate_limit: 2 });
  });

  test(verifies('refusals.tenant'), async () => {
    const foreign = await gateway.createKey('foreign');
    await post(foreign.key, rpc(CALL, { name: 'no_such_tool' }));
    await vi.waitFor(async () => {
      const { body } = await operator.ask(`GET /tenants/foreign/statistics/refusals`);
      expect(body).toMatchObject({
        total: 1,
        subjects: [{ subject: foreign.id, name: 'test', count: 1 }],
      });
      const points: number[] = body.reasons[0].points;
      expect(points.reduce((sum, count) => sum + count, 0)).toBe(1);
      expect(points).toHaveLength(body.timesMs.length);
    }, WAIT);
    expect(await reasonsOf(ofKey(foreign.id))).toEqual({});
    expect((await viewer.ask('GET /tenants/foreign/statistics/refusals')).status).toBe(404);
    const { body } = await operator.ask('GET /statistics/refusals');
    const slugs = body.refusals.subjects.map(({ name }: { name: string }) => name);
    expect(slugs).toEqual(expect.arrayContaining(['default', 'foreign']));
    const used = await operator.ask('GET /statistics/tenants');
    expect(used.body.tenants).toContainEqual({
      ...{ tenant: 'foreign', callsToday: 0, failuresToday: 0, refusedToday: 1 },
    });
  });

  test("of another tenant's keys and people, statistics name none", async () => {
    const { body } = await operator.ask('POST /tenants/foreign/keys', { name: 'their report' });
    const { body: all } = await operator.ask('GET /people');
    const boss = all.people.find(({ isOperator }: { isOperator: boolean }) => isOperator);
    for (const subject of [body.key.id, boss.id]) {
      for (const kind of ['totals', 'series']) {
        const query = `by=key&subject=${subject}`;
        const shown = await viewer.ask(`GET /tenants/default/statistics/${kind}?${query}`);
        expect(shown.body.groups).toContainEqual(expect.objectContaining({ subject, name: null }));
      }
    }
  });

  test('a text with NUL is of nothing, whichever database is asked', async () => {
    for (const address of [
      ...['totals?by=tool&key=%00', 'totals?by=key&tool=%00', 'series?by=key&subject=%00'],
      ...['refusals?key=%00', 'tools/%00'],
    ]) {
      const { status } = await viewer.ask(`GET /tenants/default/statistics/${address}`);
      expect(status, address).toBe(200);
    }
    const { body } = await viewer.ask('GET /tenants/default/found?q=%00');
    expect(body).toEqual({ keys: [], apis: [], people: [] });
    expect((await viewer.ask('GET /tenants/default/keys/%00')).status).toBe(404);
    expect((await viewer.ask('GET /tenants/%00/problems')).status).toBe(404);
  });

  test(verifies('refusals.wrong-keys'), async () => {
    for (let n = 0; n < 3; n++) await gateway.json('/api/v1/tools', { key: newApiKeyText() });
    // Without a key, a client learns how to sign in.
    await gateway.json('/api/v1/tools', { key: null });
    const { body } = await operator.ask('GET /statistics/refusals');
    expect(body.wrongKeys).toEqual({
      total: 3,
      addresses: [
        {
          address: '127.0.0.1',
          count: 3,
          firstAt: expect.any(String),
          lastAt: expect.any(String),
        },
      ],
    });
    expect((await viewer.ask('GET /statistics/refusals')).status).toBe(403);
    expect((await viewer.ask('GET /statistics/tenants')).status).toBe(403);
  });

  test('the tools of a key and the keys of a tool are shown, by name', async () => {
    const { id, key } = await gateway.createKey('default');
    await gateway.call('frankfurter_rates', {}, key);
    await gateway.call('frankfurter_rates', { base: 7 }, key);
    const totals = (query: string) =>
      viewer.ask(`GET /tenants/default/statistics/totals?${query}`).then(({ body }) => body);
    await vi.waitFor(async () => {
      expect(await totals(`by=tool&key=${id}`)).toMatchObject({
        all: { calls: 2 },
        groups: [{ name: 'frankfurter_rates', figures: { calls: 2, failures: { caller: 1 } } }],
      });
    }, WAIT);
    const { groups } = await totals('by=key&tool=frankfurter_rates&top=20');
    expect(groups).toContainEqual(
      expect.objectContaining({ subject: id, figures: expect.objectContaining({ calls: 2 }) }),
    );
    for (const query of [`by=key&key=${id}`, `key=${id}`, 'by=tool&tool=frankfurter_rates']) {
      const { status } = await viewer.ask(`GET /tenants/default/statistics/totals?${query}`);
      expect(status, query).toBe(400);
    }
  });
});
