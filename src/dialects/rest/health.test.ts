import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createDependencyChecks } from '../../platform/kernel/dependency-checks.ts';
import { systemClock } from '../../platform/kernel/time.ts';
import type { RouteResponse } from '../route.ts';
import { createHealthRoutes, type HealthDeps } from './health.ts';

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
