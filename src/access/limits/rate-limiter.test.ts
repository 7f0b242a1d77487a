import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  isConnected,
  openFlakyRedis,
  openTestRedis,
  type TestRedis,
  testRedisUrl,
} from '../../../test/support/redis.ts';
import { until } from '../../../test/support/until.ts';
import { newTally } from '../../platform/kernel/counter.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { connectRedis } from '../../platform/redis/redis-connection.ts';
import { chargeBatch, createCallerLimiter } from './caller-limiter.ts';
import { MAX_WINDOWS, UNLIMITED } from './limit-decision.ts';
import {
  createRateLimiter,
  createSyncWindows,
  MAX_BATCH,
  type RateLimiter,
} from './rate-limiter.ts';

describe('the rate limiter', () => {
  it('counts down to the limit and then refuses', async () => {
    const limiter = createRateLimiter({ limitPerMinute: 2 });
    expect(await limiter.consume('key')).toEqual({
      allowed: true,
      limit: 2,
      remaining: 1,
      resetSeconds: 60,
      retryAfterSeconds: 0,
    });
    expect(await limiter.consume('key')).toMatchObject({ allowed: true, remaining: 0 });
    expect(await limiter.consume('key')).toEqual({
      allowed: false,
      limit: 2,
      remaining: 0,
      resetSeconds: 60,
      retryAfterSeconds: 60,
    });
  });

  it('starts again when the minute is over', () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1000);
    const limiter = createRateLimiter({ limitPerMinute: 1 });
    expect(limiter.consume('key')).toMatchObject({ allowed: true });
    clock.mockReturnValue(60_999);
    expect(limiter.consume('key')).toMatchObject({ allowed: false, retryAfterSeconds: 1 });
    clock.mockReturnValue(61_000);
    expect(limiter.consume('key')).toMatchObject({ allowed: true, resetSeconds: 60 });
    clock.mockRestore();
  });

  it('never announces more than a minute, whatever the fraction of the clock', () => {
    const clock = vi.spyOn(performance, 'now');
    const limiter = createRateLimiter({ limitPerMinute: 1 });
    for (let i = 0; i < 1000; i++) {
      clock.mockReturnValue(i * 1234.567_891);
      expect(limiter.consume(`key ${i}`)).toMatchObject({ resetSeconds: 60 });
    }
    clock.mockRestore();
  });

  it('admits several points together or not at all', async () => {
    const limiter = createRateLimiter({ limitPerMinute: 5 });
    expect(await limiter.consume('key', 3)).toMatchObject({ allowed: true, remaining: 2 });
    expect(await limiter.consume('key', 3)).toMatchObject({ allowed: false, remaining: 0 });
    expect(await limiter.consume('other', 5)).toMatchObject({ allowed: true, remaining: 0 });
  });

  it('counts every key separately', async () => {
    const limiter = createRateLimiter({ limitPerMinute: 1 });
    await limiter.consume('one');
    expect(await limiter.consume('two')).toMatchObject({ allowed: true });
    expect(await limiter.consume('one')).toMatchObject({ allowed: false });
  });

  it('applies the limit of a key in place of its own, also of 0', async () => {
    const [some, none] = [2, 0].map((limitPerMinute) => createRateLimiter({ limitPerMinute }));
    expect(await none?.consume('key', 1, 1)).toMatchObject({ allowed: true, limit: 1 });
    expect(await none?.consume('key', 1, 1)).toMatchObject({ allowed: false, limit: 1 });
    expect(await some?.consume('key', 3, 4)).toMatchObject({ allowed: true, remaining: 1 });
    expect(await some?.consume('key')).toMatchObject({ allowed: false, limit: 2 });
  });

  it('refuses no request when the limit is 0', async () => {
    const limiter = createRateLimiter({ limitPerMinute: 0 });
    for (let i = 0; i < 100; i++) {
      expect(await limiter.consume('key')).toMatchObject({ allowed: true, limit: 0 });
    }
  });
});

/** What must be so with Redis and without it. */
const itBoundsTenants = (
  make: (tenantLimitPerMinute: number, limitPerMinute?: number) => RateLimiter,
) => {
  it('bounds the keys of a tenant together, whatever their own limits are', async () => {
    const limiter = make(3);
    expect(await limiter.consume('one', 1, 9, 'ten')).toMatchObject({
      allowed: true,
      isTenants: true,
      limit: 3,
      remaining: 2,
    });
    expect(await limiter.consume('two', 2, undefined, 'ten')).toMatchObject({ allowed: true });
    for (const key of ['one', 'two', 'three']) {
      const refusal = await limiter.consume(key, 1, undefined, 'ten');
      expect(refusal).toMatchObject({ allowed: false, isTenants: true, limit: 3, remaining: 0 });
      expect(refusal.retryAfterSeconds).toBeGreaterThan(50);
      expect(refusal.retryAfterSeconds).toBeLessThanOrEqual(60);
    }
    expect(await limiter.consume('four', 1, undefined, 'other')).toMatchObject({ allowed: true });
    expect(await limiter.consume('one', 1, 9)).toMatchObject({ remaining: 7, limit: 9 });
  });

  it('describes the limit with fewer requests left', async () => {
    const limiter = make(6, 3);
    const first = await limiter.consume('one', 1, undefined, 'ten');
    expect(first).toMatchObject({ limit: 3, remaining: 2 });
    expect(first).not.toHaveProperty('isTenants');
    await limiter.consume('two', 3, undefined, 'ten');
    const last = await limiter.consume('one', 1, undefined, 'ten');
    expect(last).toMatchObject({ limit: 3, remaining: 1 });
    expect(last).not.toHaveProperty('isTenants');
    const other = await limiter.consume('three', 1, undefined, 'ten');
    expect(other).toMatchObject({ isTenants: true, limit: 6, remaining: 0 });
  });

  it('counts for neither what the limit of the other refuses', async () => {
    const limiter = make(6, 4);
    // Too many for the key, again and again: the tenant keeps its requests.
    for (let i = 0; i < 5; i++) {
      const refusal = await limiter.consume('greedy', 5, undefined, 'ten');
      expect(refusal).toMatchObject({ allowed: false, limit: 4 });
      expect(refusal).not.toHaveProperty('isTenants');
    }
    expect(await limiter.consume('one', 4, undefined, 'ten')).toMatchObject({ allowed: true });
    // Too many for the tenant, again and again: the key keeps its requests, and so does the tenant.
    for (let i = 0; i < 5; i++) {
      const refusal = await limiter.consume('two', 3, undefined, 'ten');
      expect(refusal).toMatchObject({ allowed: false, isTenants: true });
    }
    expect(await limiter.consume('two', 2, undefined, 'ten')).toMatchObject({ allowed: true });
    expect(await limiter.consume('two', 2)).toMatchObject({ allowed: true, remaining: 0 });
  });

  it('applies the limit of a tenant to keys without a limit', async () => {
    const limiter = make(1, 0);
    expect(await limiter.consume('one', 1, 0, 'ten')).toMatchObject({ isTenants: true, limit: 1 });
    expect(await limiter.consume('two', 1, 0, 'ten')).toMatchObject({ allowed: false });
    expect(await limiter.consume('one')).toMatchObject({ allowed: true, limit: 0 });
  });
};

describe('the limit of a tenant in this process', () => {
  itBoundsTenants((tenantLimitPerMinute, limitPerMinute = 5) =>
    createRateLimiter({ limitPerMinute, tenantLimitPerMinute }),
  );
});

describe.runIf(testRedisUrl)('the rate limiter over Redis', () => {
  let redis: TestRedis;

  beforeAll(async () => {
    redis = await openTestRedis();
  });
  afterAll(() => redis.cleanUp());

  const replicas = (kind: string, limitPerMinute: number) => {
    const replica = () =>
      createRateLimiter({
        limitPerMinute,
        redis: redis.connection,
        keyPrefix: `${redis.keyPrefix}${kind}`,
        replicas: () => 2,
      });
    return [replica(), replica()] as const;
  };

  it('counts across all replicas', async () => {
    const [one, two] = replicas('rate', 3);
    expect(one.consume('key')).toMatchObject({ allowed: true, remaining: 2 });
    expect(await one.consume('key')).toMatchObject({ allowed: true, remaining: 1 });
    expect(await one.consume('key')).toMatchObject({ allowed: true, remaining: 0 });
    expect(two.consume('key')).toMatchObject({ allowed: true, remaining: 2 });
    // More than its part, so it asks.
    expect(await two.consume('key')).toMatchObject({ allowed: false });
    for (const replica of [two, one, two]) {
      const refusal = await replica.consume('key');
      expect(refusal).toMatchObject({ allowed: false, limit: 3, remaining: 0 });
      expect(refusal.retryAfterSeconds).toBeGreaterThan(50);
      expect(refusal.retryAfterSeconds).toBeLessThanOrEqual(60);
    }
  });

  it('counts keys with limits of their own across all replicas, and follows a changed limit', async () => {
    const [one, two] = replicas('own', 1);
    expect(one.consume('key', 1, 2)).toMatchObject({ allowed: true, remaining: 1, limit: 2 });
    expect(await one.consume('key', 1, 2)).toMatchObject({ allowed: true, remaining: 0 });
    expect(await one.consume('key', 1, 2)).toMatchObject({ allowed: false, remaining: 0 });
    expect(await two.consume('key', 2, 2)).toMatchObject({ allowed: false, remaining: 0 });
    expect(await two.consume('key', 1, 9)).toMatchObject({ allowed: true, remaining: 6, limit: 9 });
  });

  describe('the limit of a tenant', () => {
    let made = 0;
    const make = (tenantLimitPerMinute: number, limitPerMinute = 5) =>
      createRateLimiter({
        limitPerMinute,
        tenantLimitPerMinute,
        redis: redis.connection,
        keyPrefix: `${redis.keyPrefix}tenant${made++}`,
      });
    itBoundsTenants(make);

    it('is reported with that of the key, in one request a moment later', async () => {
      const limiter = make(9);
      const prefix = `${redis.keyPrefix}tenant${made - 1}:`;
      const isOurs = (arg: string): boolean => arg.startsWith(prefix);
      const sent = vi.spyOn(redis.connection.client, 'sendCommand');
      for (let n = 0; n < 5; n++) {
        expect(limiter.consume('one', 1, undefined, 'ten')).toMatchObject({ allowed: true });
      }
      await new Promise((resolve) => setTimeout(resolve, 250));
      const reports = sent.mock.calls.filter(([{ args }]) => args.some((arg) => isOurs(`${arg}`)));
      expect(reports).toHaveLength(1);
      sent.mockRestore();
    });
  });

  it('counts a batch as a whole', async () => {
    const record = vi.fn();
    const rateLimiter = createRateLimiter({
      limitPerMinute: 50,
      redis: redis.connection,
      keyPrefix: `${redis.keyPrefix}batch`,
    });
    const dailyLimiter = { consume: () => UNLIMITED };
    const limiter = createCallerLimiter({ rateLimiter, dailyLimiter });
    const refused = vi.fn();
    const deps = { limiter, securityLog: { record }, refused };
    const caller = { tenantId: 'ten', apiKeyId: 'key' };
    expect(await rateLimiter.consume('key')).toMatchObject({ allowed: true, remaining: 49 });
    await chargeBatch(deps, caller, 49);
    expect(record).not.toHaveBeenCalled();
    await expect(chargeBatch(deps, caller, 1)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(record).toHaveBeenCalledExactlyOnceWith('rate_limited', { apiKeyId: 'key' }, 'key');
    expect(refused).toHaveBeenCalledExactlyOnceWith(caller, 'rate_limit');
  });

  it.each(['cut', 'silence'] as const)(
    'counts in the process after a %s of its connection, and in Redis again later',
    async (how) => {
      const { proxy, url } = await openFlakyRedis();
      const connection = connectRedis(new Secret(url), {
        logger: { warn: () => undefined, info: () => undefined },
      });
      try {
        await until(() => isConnected(connection));
        const keyPrefix = `${redis.keyPrefix}${how}`;
        const limiter = createRateLimiter({ limitPerMinute: 2, redis: connection, keyPrefix });
        expect(await limiter.consume('key')).toMatchObject({ allowed: true, remaining: 1 });

        proxy[how]();
        expect(await limiter.consume('other')).toMatchObject({ allowed: true, remaining: 1 });
        expect(await limiter.consume('other')).toMatchObject({ allowed: true, remaining: 0 });
        expect(await limiter.consume('other')).toMatchObject({ allowed: false });

        await until(() => !isConnected(connection));
        proxy.mend();
        await until(() => isConnected(connection));
        expect(await limiter.consume('key')).toMatchObject({ allowed: true, remaining: 0 });
        await until(async () => (await redis.connection.client.get(`${keyPrefix}:key`)) === '2');
      } finally {
        await connection.close();
        await proxy.close();
      }
    },
  );
});

it('remembers a bounded number of windows, and forgets the least recently used', () => {
  const limiter = createRateLimiter({ limitPerMinute: 5 });
  for (let i = 0; i <= MAX_WINDOWS; i++) void limiter.consume(`key ${i}`);
  expect(limiter.consume('key 1')).toMatchObject({ remaining: 3 });
  expect(limiter.consume('key 0')).toMatchObject({ remaining: 4 });
});

describe.runIf(testRedisUrl)('the windows in Redis', () => {
  it('start with the first points of a name, and are counted in scripts of 500 names', async () => {
    const { connection: redis, keyPrefix, cleanUp } = await openTestRedis();
    const sync = createSyncWindows({ redis, keyPrefix, windowMs: 60_000 });
    const reports = Array.from({ length: 2 * MAX_BATCH + 1 }, (_, n) => ({
      tally: newTally(`key ${n}`, 9, 0),
      points: n,
    }));
    const sent = vi.spyOn(redis.client, 'sendCommand');
    const beganMs = performance.now();
    const standings = await sync(reports);
    expect(standings.map(({ total }) => total)).toEqual(reports.map(({ points }) => points));
    const names = sent.mock.calls.map(([{ args }]) => Number(args[1]));
    expect(Math.max(...names)).toBe(MAX_BATCH);
    expect(standings[0]?.endMs).toBeGreaterThanOrEqual(beganMs + 60_000);
    await redis.client.pexpire(`${keyPrefix}:key 1`, 1000);
    const [again] = await sync(reports.slice(1, 2));
    expect(again?.total).toBe(2);
    expect(again?.endMs).toBeLessThanOrEqual(performance.now() + 1000);
    await cleanUp();
  });
});
