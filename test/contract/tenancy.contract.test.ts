import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { verifies } from './requirements.ts';

describe.each(GATEWAY_BACKENDS)('keys and tenants ($name)', (backend) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ backend });
  });
  afterAll(() => gateway.close());

  test(verifies('contract.allow-list'), async () => {
    const { key } = await gateway.createKey('narrow', {
      allowedTools: ['frankfurter_rates', 'kma_*'],
    });
    const list = await gateway.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, key);
    const names: string[] = list.body.result.tools.map(({ name }: { name: string }) => name);
    expect(names).toContain('frankfurter_rates');
    expect(names.every((name) => name === 'frankfurter_rates' || name.startsWith('kma_'))).toBe(
      true,
    );
    expect((await gateway.json('/api/v1/tools', { key })).body.tools).toHaveLength(names.length);
    expect((await gateway.call('frankfurter_rates', {}, key)).body.result.tool).toBe(
      'frankfurter_rates',
    );
    const hidden = await gateway.call('worldbank_indicator', {}, key);
    const unknown = await gateway.call('no_such_tool', {}, key);
    expect(hidden.body.error.message.replace('worldbank_indicator', '')).toBe(
      unknown.body.error.message.replace('no_such_tool', ''),
    );
    expect((await gateway.json('/api/v1/tools/worldbank_indicator', { key })).status).toBe(404);
  });

  test(verifies('contract.tenant-headers'), async () => {
    const other = await gateway.createKey('headers');
    const response = await gateway.json('/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-tenant-id': 'default',
        'x-user-id': 'root',
      },
      key: other.key,
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'frankfurter_rates' },
      }),
    });
    const { auditId } = response.body.result;
    expect((await gateway.json(`/api/v1/audit/${auditId}`)).status).toBe(404);
    expect((await gateway.json(`/api/v1/audit/${auditId}`, { key: other.key })).status).toBe(200);
  });
});

describe('an upstream that several tenants call', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      // All calls must arrive before the first of them times out.
      env: { UPSTREAM_CONCURRENCY: '4', UPSTREAM_TIMEOUT_MS: '4000', RATE_LIMIT_PER_MINUTE: '0' },
    });
    gateway.upstream.answer(({ url }, response) => {
      if (url.startsWith('/cached'))
        response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  afterAll(() => gateway.close());

  test(verifies('contract.fair-upstream'), async () => {
    const { key: greedy } = await gateway.createKey('greedy');
    let n = 0;
    const quick = (key = gateway.key) => gateway.call('fixture_cached', { n: ++n }, key);
    const hang = () => gateway.call('fixture_uncached', {}, greedy);
    await quick();
    const hung = Array.from({ length: 10 }, hang);
    await until(() => gateway.upstream.seen.filter(({ url }) => url === '/uncached').length === 2);

    // Slots: half of them are free. Queue: that of the other tenant is full, and only its own calls are refused.
    expect((await quick()).body).toHaveProperty('result');
    const reasons = (await Promise.all(hung)).map(({ body }) => body.error.data.reason);
    expect(reasons.filter((reason) => reason === 'overloaded')).toHaveLength(4);
    expect(reasons.filter((reason) => reason === 'timeout')).toHaveLength(6);

    // Circuit: the timeouts of one tenant have opened it for that tenant only.
    for (let round = 0; round < 2; round++) await Promise.all([hang(), hang()]);
    expect((await quick(greedy)).body.error.data.reason).toBe('circuit_open');
    expect((await quick()).body).toHaveProperty('result');
  });
});
