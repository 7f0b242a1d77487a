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
  dayOf,
  MAX_DAILY_KEYS,
} from './daily-limiter.ts';

/** A day before midnight UTC by an hour. */
const EVENING = Date.UTC(2026, 10, 22, 23);

describeStores('the daily limiter', (backend) => {
  let place: TestPlace;
  let database: Database;
  let counts: DailyCounts;
  let now: number;
  const open: DailyLimiter[] = [];

  const start = (over: Partial<DailyCounts> = {}, isShared = true): DailyLimiter => {
    const limiter = createDailyLimiter({
      counts: { ...counts, ...over },
      clock: { now: () => now },
      isShared,
    });
    open.push(limiter);
    return limiter;
  };

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
    for (const replica of [one, two]) await replica.save();
    expect(await two.consume('key', 1, 5)).toMatchObject({ allowed: true, remaining: 1 });
    await one.consume('key', 1, 5);
    for (const replica of [two, one]) await replica.save();
    expect(await one.consume('key', 1, 5)).toMatchObject({ allowed: false, remaining: 0 });
    expect(await counts.read('key', dayOf(now))).toBe(5);
  });

  it('counts what a replica takes that has not noticed the new day for that day, and drops what it adds', async () => {
    const day = dayOf(now);
    await counts.take({ apiKeyId: 'key', day: day + 1, requests: 2 }, 9);
    await counts.add([{ apiKeyId: 'key', day, requests: 9 }]);
    expect(await counts.read('key', day + 1)).toBe(2);
    const late = start();
    expect(await late.consume('key', 3, 9)).toMatchObject({ allowed: true, remaining: 4 });
    expect(await late.consume('key', 5, 9)).toMatchObject({ allowed: false });
    expect(await counts.read('key', day + 1)).toBe(5);
  });

  it('takes no more than the limit', async () => {
    const count = { apiKeyId: 'key', day: dayOf(now), requests: 4 };
    expect(await counts.take(count, 8)).toEqual(count);
    expect(await counts.take(count, 8)).toEqual({ ...count, requests: 8 });
    expect(await counts.take({ ...count, requests: 1 }, 8)).toBeUndefined();
    expect(await counts.take({ ...count, day: count.day + 1 }, 8)).toMatchObject({ requests: 4 });
  });

  /** Lets the replicas admit in turn, until neither admits another request. */
  async function useUp(replicas: readonly DailyLimiter[], limit: number): Promise<number> {
    let admitted = 0;
    const run = async (replica: DailyLimiter): Promise<void> => {
      while ((await replica.consume('key', 1, limit)).allowed) {
        admitted++;
        if (admitted % 64 === 0) await nextTurn();
      }
    };
    await Promise.all(replicas.flatMap((replica) => [run(replica), run(replica), run(replica)]));
    return admitted;
  }

  it.each([10, 400, 100_000])(
    'admits %i a day to two replicas, and not one more',
    async (limit) => {
      const admitted = await useUp([start(), start()], limit);
      expect(admitted).toBeLessThanOrEqual(limit);
      expect(admitted).toBeGreaterThanOrEqual(0.98 * limit);
    },
  );

  it('decides at once while requests are in hand, and takes more in the background', async () => {
    const limiter = start();
    expect(limiter.consume('key', 1, 10_000)).toBeInstanceOf(Promise);
    await until(async () => (await counts.read('key', dayOf(now))) > 1);
    const taken = await counts.read('key', dayOf(now));
    expect(taken).toBeLessThanOrEqual(101);
    await nextTurn();
    for (let n = 1; n < taken; n++) {
      expect(limiter.consume('key', 1, 10_000)).toMatchObject({ remaining: 9999 - n });
    }
    await until(async () => (await counts.read('key', dayOf(now))) > taken);
  });

  it('takes nothing from a database that no other process uses, and adds what it counted', async () => {
    await counts.add([{ apiKeyId: 'key', day: dayOf(now), requests: 300 }]);
    let asked = 0;
    const take: DailyCounts['take'] = (...args) => {
      asked++;
      return counts.take(...args);
    };
    const limiter = start({ take }, false);
    expect(await limiter.consume('key', 1, 400)).toMatchObject({ allowed: true, remaining: 99 });
    for (let n = 98; n >= 0; n--) {
      expect(limiter.consume('key', 1, 400)).toMatchObject({ allowed: true, remaining: n });
    }
    expect(limiter.consume('key', 1, 400)).toMatchObject({ allowed: false, remaining: 0 });
    expect(asked).toBe(1);
    await limiter.save();
    expect(await counts.read('key', dayOf(now))).toBe(400);
    now += 3_600_000;
    expect(limiter.consume('key', 400, 400)).toMatchObject({ allowed: true });
    await limiter.close();
    expect(await counts.read('key', dayOf(now))).toBe(400);
  });

  it('returns what no request used, when it closes and when a key is idle', async () => {
    const [one, two] = [start(), start()];
    await one.consume('key', 1, 1000);
    await two.consume('key', 1, 1000);
    expect(await counts.read('key', dayOf(now))).toBeGreaterThan(2);
    await one.close();
    for (let n = 0; n < 60; n++) await two.save();
    expect(await counts.read('key', dayOf(now))).toBe(2);
    expect(await two.consume('key', 998, 1000)).toMatchObject({ allowed: true, remaining: 0 });
  });

  it('asks again for a key that is used up: another replica may have returned some', async () => {
    const [one, two] = [start(), start()];
    await one.consume('key', 1, 1000);
    const taken = await counts.read('key', dayOf(now));
    await two.consume('key', 1000 - taken, 1000);
    expect(await two.consume('key', 1, 1000)).toMatchObject({ allowed: false });
    await one.close();
    for (let n = 0; n < 10; n++) await two.save();
    expect(await two.consume('key', taken - 1, 1000)).toMatchObject({ allowed: true });
    expect(await two.consume('key', 1, 1000)).toMatchObject({ allowed: false });
  });

  it('does not wait for a silent database, and uses what that grants later', async () => {
    let respond = (): void => undefined;
    const silence = new Promise<void>((resolve) => {
      respond = resolve;
    });
    const limiter = start({ take: (...args) => silence.then(() => counts.take(...args)) });
    expect(await limiter.consume('key', 400, 2000)).toMatchObject({ allowed: true });
    expect(limiter.consume('key', 400, 2000)).toMatchObject({ allowed: true, remaining: 1200 });
    expect(limiter.consume('key', 1300, 2000)).toMatchObject({ allowed: false });
    respond();
    await until(async () => {
      await limiter.save();
      return (await counts.read('key', dayOf(now))) > 1000;
    });
    await limiter.close();
    // What was granted too late is returned.
    expect(await counts.read('key', dayOf(now))).toBe(800);
  });

  it('counts by itself while the database is away, and adds that later', async () => {
    let isAway = true;
    const away = (): void => {
      if (isAway) throw new GatewayError('unavailable');
    };
    const limiter = start({
      take: async (...args) => {
        away();
        return counts.take(...args);
      },
      add: async (...args) => {
        away();
        return counts.add(...args);
      },
    });
    expect(await limiter.consume('key', 2, 3)).toMatchObject({ allowed: true, remaining: 1 });
    expect(await limiter.consume('key', 2, 3)).toMatchObject({ allowed: false });
    await limiter.save();
    isAway = false;
    await limiter.save();
    await limiter.save();
    expect(await counts.read('key', dayOf(now))).toBe(2);
  });

  it('remembers a bounded number of keys, and returns the block of one that it drops', async () => {
    const limiter = start({
      take: async (count, limit) =>
        count.apiKeyId === 'key 0' ? counts.take(count, limit) : count,
    });
    await limiter.consume('key 0', 1, 1000);
    expect(await counts.read('key 0', dayOf(now))).toBeGreaterThan(1);
    for (let n = 1; n <= MAX_DAILY_KEYS; n++) await limiter.consume(`key ${n}`, 1, 5);
    await until(async () => (await counts.read('key 0', dayOf(now))) === 1);
    expect(await start().consume('key 0', 999, 1000)).toMatchObject({ allowed: true });
  });
});
