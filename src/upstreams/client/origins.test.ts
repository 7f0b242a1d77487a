import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { until } from '../../../test/support/until.ts';
import {
  createLatencies,
  createOrigins,
  createSharedLookup,
  type OriginOptions,
  type Origins,
} from './origins.ts';
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

it('Percentiles are null before the first response', () => {
  expect(createLatencies().percentileMs(0.5)).toBeNull();
});

it('Percentiles cover the last 512 responses', () => {
  const latencies = createLatencies();
  for (let i = 0; i < 100; i++) latencies.add(9999);
  for (let i = 1; i <= 512; i++) latencies.add(i);
  expect(latencies.percentileMs(0.5)).toBe(256);
  expect(latencies.percentileMs(0.99)).toBe(507);
  expect(latencies.percentileMs(1)).toBe(512);
});

it('A percentile is one of the durations, which at least the given share does not exceed', () => {
  const durations = fc.array(fc.float({ min: 0, max: 60_000, noNaN: true }), {
    minLength: 1,
    maxLength: 512,
  });
  fc.assert(
    fc.property(durations, fc.double({ min: 0, max: 1, noNaN: true }), (all, share) => {
      const latencies = createLatencies();
      for (const duration of all) latencies.add(duration);
      const percentile = latencies.percentileMs(share) ?? Number.NaN;
      expect(all).toContain(percentile);
      expect(all.filter((duration) => duration <= percentile).length).toBeGreaterThanOrEqual(
        share * all.length - 1e-9,
      );
    }),
  );
});

/** A lookup that records its names and completes when the test decides. */
function slowLookup() {
  const names: string[] = [];
  const completions: (() => void)[] = [];
  const slow: LookupFunction = (hostname, _options, callback) => {
    names.push(hostname);
    completions.push(() => callback(null, [{ address: '192.0.2.1', family: 4 }]));
  };
  return { names, completions, shared: createSharedLookup(slow) };
}

const resolveName = (shared: LookupFunction, hostname: string) =>
  new Promise((resolve) => {
    shared(hostname, { all: true }, (error, addresses) => resolve(error ?? addresses));
  });

it('A host name is looked up once for all concurrent requests', async () => {
  const { names, completions, shared } = slowLookup();
  const all = Array.from({ length: 64 }, () => resolveName(shared, 'slow.example'));
  const other = resolveName(shared, 'other.example');
  expect(names).toEqual(['slow.example', 'other.example']);
  for (const complete of completions) complete();
  for (const address of [...(await Promise.all(all)), await other]) {
    expect(address).toEqual([{ address: '192.0.2.1', family: 4 }]);
  }
});

it('A host name is looked up again after a completed look-up', async () => {
  const { names, completions, shared } = slowLookup();
  for (let i = 0; i < 2; i++) {
    const resolved = resolveName(shared, 'slow.example');
    completions[i]?.();
    await resolved;
  }
  expect(names).toHaveLength(2);
});

it('Errors reach every waiting request', async () => {
  const shared = createSharedLookup(lookup);
  const errors = await Promise.all([1, 2].map(() => resolveName(shared, 'nowhere.invalid')));
  for (const error of errors) expect(error).toBeInstanceOf(Error);
});
