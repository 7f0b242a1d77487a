import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  describeStores,
  openTestDatabase,
  type TestPlace,
} from '../../../test/support/databases.ts';
import { until } from '../../../test/support/until.ts';
import type { Database } from '../../platform/database/database.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import {
  createDailyCounts,
  createDailyLimiter,
  type DailyCounts,
  type DailyLimiter,
  MAX_DAILY_KEYS,
} from './daily-limiter.ts';

/** An hour before midnight in Seoul. */
const EVENING = Date.UTC(2026, 10, 22, 14);
const DAY_MS = 86_400_000;
const endMs = EVENING + 3_600_000;

describeStores('the daily limiter', (backend) => {
  let place: TestPlace;
  let database: Database;
  let counts: DailyCounts;
  let now: number;
  const open: DailyLimiter[] = [];

  /** One of two replicas, or the only process. */
  const start = (over: Partial<DailyCounts> = {}, isShared = true): DailyLimiter => {
    const limiter = createDailyLimiter({
      counts: { ...counts, ...over },
      clock: { now: () => now },
      isShared,
      replicas: () => (isShared ? 2 : 1),
    });
    open.push(limiter);
    return limiter;
  };
  const totalOf = async (apiKeyId: string, day = endMs): Promise<number | undefined> =>
    (await counts.add([{ apiKeyId, endMs: day, total: 0 }]))[0]?.total;

  beforeEach(async () => {
    now = EVENING;
    place = await backend.makePlace();
    database = await openTestDatabase(place);
    counts = createDailyCounts(database.db);
  });
  afterEach(async () => {
    for (const limiter of open.splice(0)) await limiter.close();
    await database.close();
    await place.remove();
  });

  it('admits so many requests a day, and says when the next day begins', async () => {
    const limiter = start();
    expect(await limiter.consume('key', 1, 2)).toEqual({
      allowed: true,
      limit: 2,
      remaining: 1,
      resetSeconds: 3600,
      retryAfterSeconds: 0,
    });
    expect(await limiter.consume('key', 1, 2)).toMatchObject({ allowed: true, remaining: 0 });
    expect(await limiter.consume('key', 1, 2)).toMatchObject({
      allowed: false,
      remaining: 0,
      retryAfterSeconds: 3600,
    });
    expect(await limiter.consume('other', 1, 2)).toMatchObject({ allowed: true });
    now += 3_600_000;
    expect(await limiter.consume('key', 1, 2)).toMatchObject({
      allowed: true,
      resetSeconds: 86400,
    });
  });

  it('admits several points together or counts none of them', async () => {
    const limiter = start();
    expect(await limiter.consume('key', 3, 5)).toMatchObject({ allowed: true, remaining: 2 });
    expect(await limiter.consume('key', 3, 5)).toMatchObject({ allowed: false, remaining: 2 });
    expect(await limiter.consume('key', 2, 5)).toMatchObject({ allowed: true, remaining: 0 });
  });

  it('counts requests that come at once before the stored count is known', async () => {
    const limiter = start();
    const decisions = await Promise.all(
      Array.from({ length: 5 }, () => limiter.consume('key', 1, 3)),
    );
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(3);
  });

  it('continues after a restart', async () => {
    const before = start();
    await before.consume('key', 4, 5);
    await before.close();
    const after = start();
    expect(await after.consume('key', 1, 5)).toMatchObject({ allowed: true, remaining: 0 });
    expect(await after.consume('key', 1, 5)).toMatchObject({ allowed: false });
  });

  it('starts again at zero if the restart is on another day', async () => {
    const before = start();
    await before.consume('key', 4, 5);
    await before.close();
    now += 7_200_000;
    expect(await start().consume('key', 1, 5)).toMatchObject({ remaining: 4 });
  });

  it('counts across replicas', async () => {
    const [one, two] = [start(), start()];
    await one.consume('key', 2, 5);
    await two.consume('key', 1, 5);
    expect(await one.consume('key', 1, 5)).toMatchObject({ allowed: true, remaining: 1 });
    expect(await two.consume('key', 1, 5)).toMatchObject({ allowed: true, remaining: 0 });
    expect(await one.consume('key', 1, 5)).toMatchObject({ allowed: false, remaining: 0 });
    await one.save();
    expect(await totalOf('key')).toBe(5);
  });

  it('counts what a replica with a slow clock admits for the day that has begun', async () => {
    await counts.add([{ apiKeyId: 'key', endMs: endMs + DAY_MS, total: 2 }]);
    const late = start();
    expect(await late.consume('key', 3, 9)).toMatchObject({ allowed: true, remaining: 4 });
    expect(await late.consume('key', 5, 9)).toMatchObject({ allowed: false });
    await late.save();
    expect(await totalOf('key', endMs + DAY_MS)).toBe(5);
  });

  it.each([10, 400, 20_000])(
    'admits %i a day to two replicas, and at most a hundredth more',
    async (limit) => {
      let admitted = 0;
      const run = async (replica: DailyLimiter): Promise<void> => {
        while ((await replica.consume('key', 1, limit)).allowed) {
          admitted++;
          if (admitted % 64 === 0) await nextTurn();
        }
      };
      const replicas = [start(), start()];
      await Promise.all(replicas.flatMap((replica) => [run(replica), run(replica), run(replica)]));
      expect(admitted).toBeGreaterThanOrEqual(limit);
      expect(admitted).toBeLessThanOrEqual(1.01 * limit);
    },
  );

  it('decides at once while less than its part of a hundredth is unknown to the database', async () => {
    const limiter = start();
    expect(limiter.consume('key', 1, 10_000)).toBeInstanceOf(Promise);
    await until(async () => (await totalOf('key')) === 1);
    await nextTurn();
    for (let n = 1; n <= 50; n++) {
      expect(limiter.consume('key', 1, 10_000)).toMatchObject({ remaining: 9999 - n });
    }
    expect(await limiter.consume('key', 1, 10_000)).toMatchObject({ allowed: true });
    expect(await totalOf('key')).toBe(52);
  });

  it('asks a database that no other process uses once, and adds what it counted each second', async () => {
    await counts.add([{ apiKeyId: 'key', endMs, total: 300 }]);
    const limiter = start({}, false);
    expect(await limiter.consume('key', 1, 1000)).toMatchObject({ remaining: 699 });
    for (let n = 0; n < 699; n++) {
      expect(limiter.consume('key', 1, 1000)).toMatchObject({ allowed: true });
    }
    expect(limiter.consume('key', 1, 1000)).toMatchObject({ allowed: false });
    await until(async () => (await totalOf('key')) === 1000);
  });

  it('admits its part of the limit while the database is away, and adds that later', async () => {
    let isAway = true;
    const limiter = start({
      add: (asked) =>
        isAway ? Promise.reject(new GatewayError('unavailable')) : counts.add(asked),
    });
    expect(await limiter.consume('key', 2, 6)).toMatchObject({ allowed: true });
    expect(limiter.consume('key', 2, 6)).toMatchObject({ allowed: false });
    expect(limiter.consume('key', 1, 6)).toMatchObject({ allowed: true });
    isAway = false;
    await limiter.save();
    expect(await totalOf('key')).toBe(3);
    expect(await limiter.consume('key', 3, 6)).toMatchObject({ allowed: true, remaining: 0 });
  });

  it('remembers a bounded number of keys, and stores what it counted of one that it drops', async () => {
    const limiter = start({}, false);
    await limiter.consume('key 0', 7, 10);
    const all = Array.from({ length: MAX_DAILY_KEYS }, (_, n) =>
      limiter.consume(`key ${n + 1}`, 1, 5),
    );
    await Promise.all(all);
    expect(await limiter.consume('key 0', 1, 10)).toMatchObject({ allowed: true, remaining: 2 });
  });
});
