import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
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
    const answer = await gateway.json('/mcp', {
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
    const { auditId } = answer.body.result;
    expect((await gateway.json(`/api/v1/audit/${auditId}`)).status).toBe(404);
    expect((await gateway.json(`/api/v1/audit/${auditId}`, { key: other.key })).status).toBe(200);
  });
});

describe.each(GATEWAY_BACKENDS)('limits ($name)', (backend) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      backend,
      env: { RATE_LIMIT_PER_MINUTE: '5', AUTH_FAILURES_PER_MINUTE: '5' },
    });
  });
  afterAll(() => gateway.close());

  test(verifies('contract.429'), async () => {
    const { key } = await gateway.createKey('limited');
    for (let i = 4; i >= 0; i--) {
      const answer = await gateway.json('/api/v1/tools', { key });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('ratelimit')).toMatch(new RegExp(`^"key";r=${i};t=\\d+$`));
    }
    const { status, headers, body } = await gateway.json('/api/v1/tools', { key });
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(headers.get('ratelimit-policy')).toBe('"key";q=5;w=60');
    expect(body).toEqual({
      error: 'Too Many Requests',
      message: expect.stringContaining('Retry in'),
    });
    const another = await gateway.createKey('limited');
    expect((await gateway.json('/api/v1/tools', { key: another.key })).status).toBe(200);
  });

  test('every entry of a batch counts', async () => {
    const { key } = await gateway.createKey('batched');
    const batch = Array.from({ length: 6 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/list',
    }));
    expect((await gateway.rpc(batch, key)).status).toBe(429);
  });

  test('an address that fails too often may try no further keys; one known to be good goes on', async () => {
    const unknown = await gateway.createKey('limited');
    expect((await gateway.json('/api/v1/tools')).status).toBe(200);
    for (let i = 0; i < 5; i++) {
      expect((await gateway.json('/api/v1/tools', { key: 'wrong' })).status).toBe(401);
    }
    const answer = await gateway.json('/api/v1/tools', { key: unknown.key });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await gateway.json('/api/v1/tools')).status).toBe(200);
    expect((await gateway.json('/health', { key: null })).status).toBe(200);
  });
});
