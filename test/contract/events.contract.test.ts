import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { openSse, type SseClient } from '../support/sse-client.ts';
import { until } from '../support/until.ts';
import { verifies } from './requirements.ts';

describe.each(GATEWAY_BACKENDS)('GET /mcp/sse ($name)', (backend) => {
  let gateway: TestGateway;
  const open: SseClient[] = [];
  const connect = async (key: string): Promise<SseClient> => {
    const client = await openSse(gateway.url, key);
    open.push(client);
    return client;
  };
  const messages = (client: SseClient) =>
    client.events.filter(({ name }) => name === 'message').map(({ data }) => JSON.parse(data));

  beforeAll(async () => {
    gateway = await startTestGateway({ backend, env: { SSE_KEEPALIVE_MS: '100' } });
  });
  afterAll(async () => {
    for (const client of open) client.close();
    await gateway.close();
  });

  test(verifies('event.keepalive'), async () => {
    const client = await connect(gateway.key);
    await until(() => client.comments.length >= 2);
    expect(new Set(client.comments)).toEqual(new Set([': keepalive']));
    expect(client.events.filter(({ name }) => name === 'ready')).toHaveLength(1);
  });

  test(verifies('event.message', 'event.message.tool', 'event.message.upstream'), async () => {
    const client = await connect(gateway.key);
    const { body } = await gateway.call('frankfurter_rates', { base: 'CHF' });
    await until(() => messages(client).length > 0);
    const { auditId, cacheStatus, upstream } = body.result;
    expect(messages(client)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'gateway/toolResult',
        params: { tool: 'frankfurter_rates', upstream, cacheStatus, auditId, isError: false },
      },
    ]);
  });

  test(verifies('event.tenant', 'auth.tenant'), async () => {
    const other = await gateway.createKey('tenant-b');
    const mine = await connect(gateway.key);
    const foreign = await connect(other.key);
    await gateway.call('frankfurter_rates', { base: 'SEK' });
    await gateway.call(
      'worldbank_indicator',
      { country: 'KR', indicator: 'NY.GDP.MKTP.CD' },
      other.key,
    );
    await until(() => messages(mine).length > 0 && messages(foreign).length > 0);
    expect(messages(mine).map(({ params }) => params.tool)).toEqual(['frankfurter_rates']);
    expect(messages(foreign).map(({ params }) => params.tool)).toEqual(['worldbank_indicator']);
  });

  test(verifies('event.clientId', 'contract.clientId-places'), async () => {
    const [a, b] = [await connect(gateway.key), await connect(gateway.key)];
    const call = (params: object) =>
      gateway.rpc({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'fixture_uncached', ...params },
      });
    const places = [
      { _clientId: a.clientId },
      { _meta: { _clientId: a.clientId } },
      { arguments: { _clientId: a.clientId } },
    ];
    for (const place of places)
      expect((await call(place)).body.result.tool).toBe('fixture_uncached');
    await until(() => messages(a).length === 3);
    expect(messages(b)).toEqual([]);
  });

  test('a _clientId of another tenant, or an unknown one, sends nothing, and the call continues', async () => {
    const other = await gateway.createKey('tenant-c');
    const foreign = await connect(other.key);
    const mine = await connect(gateway.key);
    for (const clientId of [foreign.clientId, 'sse_nobody', 5]) {
      const { body } = await gateway.rpc({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'fixture_uncached', _clientId: clientId },
      });
      expect(body.result.tool).toBe('fixture_uncached');
    }
    await gateway.call('fixture_uncached');
    await until(() => messages(mine).length > 0);
    expect(messages(mine)).toHaveLength(1);
    expect(messages(foreign)).toEqual([]);
  });

  test(verifies('contract.revoked-stream'), async () => {
    const { id, key } = await gateway.createKey('default');
    const client = await connect(key);
    await gateway.revokeKey(id);
    await until(() => client.ended());
    expect((await gateway.json('/api/v1/tools', { key })).status).toBe(401);
  });
});
