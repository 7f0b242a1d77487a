import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ADMIN_ENV, type AdminClient, joinAsViewer, signIn } from '../support/admin-client.ts';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';

describe.each(GATEWAY_BACKENDS)('statistics in the dashboard ($name)', (backend) => {
  let gateway: TestGateway;
  let operator: AdminClient;
  let viewer: AdminClient;

  beforeAll(async () => {
    gateway = await startTestGateway({ backend, env: ADMIN_ENV });
    operator = await signIn(gateway);
    viewer = await joinAsViewer(gateway, operator);
    for (const base of ['USD', 7, 'EUR', 'USD']) await gateway.call('frankfurter_rates', { base });
    await vi.waitFor(
      async () => {
        const { body } = await viewer.ask('GET /tenants/default/statistics/totals');
        expect(body.all.calls).toBe(4);
      },
      { timeout: 45_000, interval: 300 },
    );
  });
  afterAll(() => gateway.close());

  test('a viewer sees figures of the tenant, by tool and by key, with their names', async () => {
    const { body } = await viewer.ask('GET /tenants/default/statistics/totals?by=tool');
    expect(body.all).toMatchObject({
      calls: 4,
      failures: { caller: 1, key: 0, upstream: 0, gateway: 0 },
    });
    expect(body.all.cache).toMatchObject({ hit: 1, miss: 2 });
    expect(body.groups).toEqual([
      expect.objectContaining({
        name: 'frankfurter_rates',
        figures: expect.objectContaining({ calls: 4 }),
      }),
    ]);
    const keys = await viewer.ask('GET /tenants/default/statistics/series?by=key');
    expect(keys.body).toMatchObject({ step: 'hour', groups: [{ kind: 'all' }, { kind: 'group' }] });
    expect(keys.body.groups[1].subject).toMatch(/^key_/);
    expect(keys.body.groups[1].name).toEqual(expect.any(String));
  });

  test('a series of the last hour has a point for each minute', async () => {
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const { body } = await viewer.ask(`GET /tenants/default/statistics/series?from=${from}`);
    expect(body.step).toBe('minute');
    const calls: number[] = body.groups[0].points.calls;
    expect(calls.reduce((sum, each) => sum + each, 0)).toBe(4);
  });

  test('a tool has a summary, by its name', async () => {
    const { body } = await viewer.ask('GET /tenants/default/statistics/tools/frankfurter_rates');
    expect(body.summary).toMatchObject({ lastDay: { calls: 4, p95Ms: expect.any(Number) } });
  });

  test('dependencies and circuits have a status', async () => {
    const { body } = await viewer.ask('GET /tenants/default/statistics/status');
    expect(body).toMatchObject({
      dependencies: [
        { name: 'database', status: 'healthy' },
        { name: 'redis', status: 'healthy' },
      ],
      circuits: [],
    });
  });

  test('only operators see all tenants, and the quotas of provider keys', async () => {
    for (const route of ['series', 'totals', 'status', 'quota']) {
      expect((await viewer.ask(`GET /statistics/${route}`)).status, route).toBe(403);
      expect((await operator.ask(`GET /statistics/${route}`)).status, route).toBe(200);
    }
    const { body } = await operator.ask('GET /statistics/totals?by=tenant');
    expect(body.groups[0]).toMatchObject({ name: 'default', figures: { calls: 4 } });
    const quota = await operator.ask('GET /statistics/quota');
    expect(quota.body.quotas.length).toBeGreaterThan(0);
    expect(quota.body.quotas[0]).toMatchObject({ requestsToday: 0, tools: [], users: [] });
  });

  test('groups by tenant are for operators, and what is asked must be valid', async () => {
    expect((await viewer.ask('GET /tenants/default/statistics/totals?by=tenant')).status).toBe(400);
    expect((await viewer.ask('GET /tenants/default/statistics/totals?from=x')).status).toBe(400);
    expect((await viewer.ask('GET /tenants/default/statistics/totals?top=21')).status).toBe(400);
  });
});
