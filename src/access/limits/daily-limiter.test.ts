import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  describeStores,
  openTestDatabase,
  type TestPlace,
} from '../../../test/support/databases.ts';
import type { Database } from '../../platform/database/database.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { createDailyCounts, type DailyCounts } from './daily-counts.ts';
import { createDailyLimiter, type DailyLimiter, dayOf, MAX_DAILY_KEYS } from './daily-limiter.ts';

/** A day before midnight UTC by an hour. */
const EVENING = Date.UTC(2026, 10, 22, 23);

describeStores('the daily limiter', (backend) => {
  let place: TestPlace;
  let database: Database;
  let counts: DailyCounts;
  let now: number;
  const open: DailyLimiter[] = [];

  const start = (over: Partial<DailyCounts> = {}): DailyLimiter => {
    const limiter = createDailyLimiter({
      counts: { ...counts, ...over },
      clock: { now: () => now },
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
    expect(await counts.read(['key', 'none'], dayOf(now))).toEqual(new Map([['key', 5]]));
  });

  it('keeps what a replica adds that has not noticed the new day', async () => {
    const day = dayOf(now);
    await counts.add([{ apiKeyId: 'key', day: day + 1, requests: 2 }]);
    await counts.add([{ apiKeyId: 'key', day, requests: 9 }]);
    expect(await counts.read(['key'], day + 1)).toEqual(new Map([['key', 2]]));
    expect(await counts.read(['key'], day)).toEqual(new Map());
  });

  it('counts by itself while the database is away, and adds that later', async () => {
    let isAway = true;
    const away = (): void => {
      if (isAway) throw new GatewayError('unavailable');
    };
    const limiter = start({
      read: async (...args) => {
        away();
        return counts.read(...args);
      },
      add: async (...args) => {
        away();
        return counts.add(...args);
      },
    });
    expect(await limiter.consume('key', 2, 3)).toMatchObject({ allowed: true, remaining: 1 });
    await limiter.save();
    isAway = false;
    await limiter.save();
    await limiter.save();
    expect(await counts.read(['key'], dayOf(now))).toEqual(new Map([['key', 2]]));
  });

  it('remembers a bounded number of keys, and saves one that it drops', async () => {
    const limiter = start({ read: async () => new Map() });
    for (let n = 0; n <= MAX_DAILY_KEYS; n++) await limiter.consume(`key ${n}`, 1, 5);
    await limiter.save();
    expect(await counts.read(['key 0'], dayOf(now))).toEqual(new Map([['key 0', 1]]));
    expect(await start().consume('key 0', 1, 5)).toMatchObject({ remaining: 3 });
  });
});
