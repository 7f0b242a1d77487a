import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createDependencyChecks } from '../../platform/kernel/dependency-checks.ts';
import { systemClock } from '../../platform/kernel/time.ts';
import type { RouteResponse } from '../route.ts';
import { createHealthRoutes, type HealthDeps } from './health.ts';
import { createWorkerFigures, type ProcessFigures } from './process-figures.ts';

const NOTHING = {
  clock: systemClock,
  version: '1',
  catalogCounts: () => ({ servers: 0, tools: 0 }),
  storage: () => ({ freeBytes: 1, files: [] }),
} as unknown as HealthDeps;

it('checks the database and Redis at most once a second, however many requests arrive', async () => {
  const pings = { database: 0, redis: 0 };
  let isUp = true;
  const checkDependencies = createDependencyChecks({
    database: {
      backend: 'database',
      ping: async () => {
        pings.database++;
        await sleep(20);
        if (!isUp) throw new Error('down');
      },
    },
    redis: {
      backend: 'redis',
      ping: async () => {
        pings.redis++;
      },
    },
  });
  const routes = createHealthRoutes({ ...NOTHING, checkDependencies });
  const ready = routes.find(({ path }) => path === '/health/ready');
  const ask = async () => ((await ready?.handle({} as never)) as RouteResponse | undefined)?.status;

  expect(await Promise.all([ask(), ask(), ask()])).toEqual([200, 200, 200]);
  isUp = false;
  expect(await ask()).toBe(200);
  expect(pings).toEqual({ database: 1, redis: 1 });
  await expect.poll(ask, { timeout: 20_000 }).toBe(503);
  expect(pings).toEqual({ database: 2, redis: 2 });
});

it('adds up the figures of all workers, and names those that do not answer', async () => {
  const audit = { calls: 2, oldestWaitingSeconds: 3, lastWriteAt: '2026-01-02', degraded: null };
  const one = {
    memory: { rssBytes: 10 },
    streams: 1,
    audit,
    cache: { entries: 1, bytes: 5, hits: 1, misses: 0, hitRatio: 1 },
    upstreams: {
      shared: [
        stateOf('https://a.example', 'closed', 1),
        stateOf('https://hidden.example', 'open', 1),
      ],
      own: [],
    },
  } as unknown as ProcessFigures;
  const other = {
    ...one,
    audit: { ...audit, oldestWaitingSeconds: 9, lastWriteAt: null, degraded: 'full' },
    cache: { ...one.cache, hits: 0, misses: 3, hitRatio: 0 },
    upstreams: {
      shared: [stateOf('https://a.example', 'open', 2)],
      own: [stateOf('https://own.example', 'half_open', null)],
    },
  } as unknown as ProcessFigures;
  const figures = createWorkerFigures({
    figures: () => one,
    workers: { number: 2, total: 3, othersFigures: async () => new Map([[1, other]]) },
    originsFor: () => ({
      shared: new Set(['https://a.example']),
      own: new Set(['https://own.example']),
    }),
  });
  const deps = {
    ...NOTHING,
    checkDependencies: async () => ({}),
    figures,
    replicas: { living: () => 2, lost: () => [] },
  };
  const route = createHealthRoutes(deps).find(({ path }) => path === '/health/detailed');
  const request = { caller: { tenantId: 'ten_1', tenantSlug: 'default' } };
  const response = (await route?.handle(request as never)) as RouteResponse | undefined;
  expect(response?.body).toMatchObject({
    workers: { total: 3, respondedBy: 2, silent: [3] },
    memory: { rssBytes: 20 },
    streams: 2,
    audit: { calls: 4, oldestWaitingSeconds: 9, lastWriteAt: '2026-01-02', degraded: 'full' },
    cache: { entries: 2, bytes: 10, hits: 1, misses: 3, hitRatio: 0.25 },
    upstreams: [
      { ...stateOf('https://a.example', 'open', 2), inFlight: 2 },
      stateOf('https://own.example', 'half_open', null),
    ],
  });
});

const stateOf = (origin: string, circuit: string, p50Ms: number | null) => ({
  origin,
  circuit,
  inFlight: 1,
  p50Ms,
  p99Ms: p50Ms,
});
