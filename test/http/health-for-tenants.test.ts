import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { openSse } from '../support/sse-client.ts';

let gateway: TestGateway;
let other: string;
let narrow: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  other = (await gateway.createKey('other')).key;
  narrow = (await gateway.createKey('other', { allowedTools: ['worldbank_indicator'] })).key;
  await gateway.call('frankfurter_rates');
  await openSse(gateway.url, gateway.key);
  await openSse(gateway.url, gateway.key);
  await openSse(gateway.url, other);
});
afterAll(() => gateway.close());

const detailed = async (key: string) => (await gateway.json('/health/detailed', { key })).body;

test("the operator's tenant sees the activity of the whole process", async () => {
  const body = await detailed(gateway.key);
  expect(body.streams).toBe(3);
  expect(body.audit).toMatchObject({ calls: 1, records: 1 });
  expect(body.cache.entries).toBeGreaterThan(0);
  expect(body.memory.rssBytes).toBeGreaterThan(0);
  expect(body.upstreams[0].inFlight).toBe(0);
  expect(body.replicas).toEqual({ living: 1, lost: [] });
});

test('another tenant sees its own streams and none of the traffic of others', async () => {
  const mine = await detailed(gateway.key);
  const body = await detailed(other);
  expect(Object.keys(body).sort()).toEqual(Object.keys(mine).sort());
  expect(body).toMatchObject({ status: 'healthy', version: mine.version, catalog: mine.catalog });
  expect(body.streams).toBe(1);
  for (const part of ['audit', 'cache', 'memory', 'replicas']) {
    expect(Object.keys(body[part]).sort()).toEqual(Object.keys(mine[part]).sort());
    expect(Object.values(body[part]).filter((value) => value !== null)).toEqual([]);
  }
  expect(body.upstreams).toEqual([{ ...mine.upstreams[0], inFlight: null }]);
});

test('a key sees the upstreams of its own tools only', async () => {
  const origins = (await detailed(gateway.key)).upstreams.map(
    ({ origin }: { origin: string }) => origin,
  );
  expect(origins).toHaveLength(1);
  // All shipped presets share the sandbox as their upstream here; the fixture has its own origin.
  const fixture = (await gateway.createKey('other', { allowedTools: ['fixture_cached'] })).key;
  expect((await detailed(narrow)).upstreams).toHaveLength(1);
  expect((await detailed(fixture)).upstreams).toEqual([]);
});
