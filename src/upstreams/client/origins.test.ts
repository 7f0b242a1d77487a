import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { createOrigins, type OriginOptions, type Origins } from './origins.ts';
import { type MisbehavingServer, startMisbehavingServer } from './testing/misbehaving-server.ts';

let servers: MisbehavingServer[];
beforeAll(async () => {
  servers = await Promise.all([1, 2, 3].map(startMisbehavingServer));
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
});

function nameOf(index: number): string {
  return servers[index]?.origin ?? '';
}

/** Origins that the test destroys. */
function newOrigins(options: Partial<OriginOptions>): Origins {
  const origins = createOrigins({
    maxOrigins: 1000,
    idleOriginMs: 600_000,
    concurrencyPerOrigin: 8,
    circuit: { failures: 5, openMs: 10_000 },
    onCircuitOpen: () => {},
    onCircuitClose: () => {},
    ...options,
  });
  onTestFinished(() => origins.destroy());
  return origins;
}

async function send(origins: Origins, name: string): Promise<void> {
  const { body } = await origins.get(name, 'tenant').pool.request({ path: '/ok', method: 'GET' });
  await body.dump();
}

it('The origin used least recently is removed for a new one, and its connections are closed', async () => {
  const origins = newOrigins({ maxOrigins: 2 });
  for (const index of [0, 1, 0, 2]) await send(origins, nameOf(index));
  expect(origins.all().map(({ name }) => name)).toEqual([nameOf(0), nameOf(2)]);
  await until(() => servers[1]?.openConnections() === 0);
});

it('An origin in use is not removed: a new one is rejected while all are in use', () => {
  const origins = newOrigins({ maxOrigins: 1 });
  const { lanes, bulkhead } = origins.get(nameOf(0), 'tenant');
  const lane = lanes.of('tenant', 0);
  bulkhead.tryAcquire(lane);
  expect(() => origins.get(nameOf(1), 'tenant')).toThrow(
    expect.objectContaining({ code: 'overloaded', details: { retryAfterSeconds: 1 } }),
  );
  bulkhead.release(lane);
  expect(origins.get(nameOf(1), 'tenant').name).toBe(nameOf(1));
});

it('An unused origin is removed after a while', async () => {
  const origins = newOrigins({ idleOriginMs: 200 });
  const sent = send(origins, nameOf(0));
  expect(origins.all()).toHaveLength(1);
  await sent;
  await until(() => origins.all().length === 0);
});

it('With isolation, the origins of a tenant make room for its own first, and the total is bounded too', () => {
  const isolation = { maxOriginsPerTenant: 2, connectorFor: () => () => {} };
  const origins = newOrigins({ maxOrigins: 3, isolation });
  const names = () => origins.all().map(({ name, tenantId }) => `${tenantId} ${name.slice(-1)}`);
  for (const tenant of ['a', 'b']) origins.get('http://api.example:1', tenant);
  for (const port of [2, 3]) origins.get(`http://api.example:${port}`, 'a');
  expect(names()).toEqual(['b 1', 'a 2', 'a 3']);
  origins.get('http://api.example:1', 'c');
  expect(names()).toEqual(['a 2', 'a 3', 'c 1']);
  expect(origins.get('http://api.example:1', 'c')).toBe(origins.get('http://api.example:1', 'c'));
});

it('With isolation, an origin that may not be requested takes the place of no other', () => {
  const connectorFor = (origin: string) => {
    if (origin.endsWith('2')) throw new Error('blocked');
    return () => {};
  };
  const origins = newOrigins({
    maxOrigins: 1,
    isolation: { maxOriginsPerTenant: 1, connectorFor },
  });
  origins.get('http://api.example:1', 'a');
  expect(() => origins.get('http://api.example:2', 'a')).toThrow('blocked');
  expect(origins.all()).toHaveLength(1);
});
