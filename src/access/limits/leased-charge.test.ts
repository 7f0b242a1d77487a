import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type OwnServer,
  ownRedis,
  ownServersAvailable,
} from '../../../test/support/own-servers.ts';
import { MANY_RUNS } from '../../../test/support/property-runs.ts';
import {
  isConnected,
  openFlakyRedis,
  openTestRedis,
  type TestRedis,
  testRedisUrl,
} from '../../../test/support/redis.ts';
import { until } from '../../../test/support/until.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { connectRedis, type RedisConnection } from '../../platform/redis/redis-connection.ts';
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts';

interface Load {
  readonly limiters: readonly RateLimiter[];
  readonly requests: number;
  readonly keys?: readonly string[];
  readonly points?: number;
}

/** Sends the requests, 50 at once, to the limiters and keys in turn. Returns the points that were admitted. */
async function admittedOf({ limiters, requests, keys = ['key'], points = 1 }: Load) {
  let sent = 0;
  let admitted = 0;
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      while (sent < requests) {
        const n = sent++;
        const key = keys[Math.floor(n / limiters.length) % keys.length] as string;
        const decision = limiters[n % limiters.length]?.consume(key, points, undefined, 'ten');
        if ((await decision)?.allowed) admitted += points;
        await nextTurn();
      }
    }),
  );
  return admitted;
}

const LIMITS = [10, 60, 600, 6000];

describe.runIf(testRedisUrl)('rate limits leased from Redis', () => {
  const open: TestRedis[] = [];
  let made = 0;

  beforeAll(async () => {
    open.push(await openTestRedis(), await openTestRedis(), await openTestRedis());
  });
  afterAll(async () => {
    for (const redis of open) await redis.cleanUp();
  });

  const redisOf = (n: number): RedisConnection => (open[n] as TestRedis).connection;
  /** One limiter for each connection, which share their windows. */
  function replicas(count: number, limitPerMinute: number, tenantLimitPerMinute = 0) {
    const keyPrefix = `${open[0]?.keyPrefix}${made++}`;
    const limiters = Array.from({ length: count }, (_, n) => {
      const redis = redisOf(n);
      return createRateLimiter({ limitPerMinute, tenantLimitPerMinute, redis, keyPrefix });
    });
    const used = async (name: string) =>
      Number(await redisOf(0).client.get(`${keyPrefix}:${name}`));
    return { limiters, keyPrefix, used };
  }

  it.each(LIMITS)(
    'admit a limit of %i a minute to two replicas, and not one more',
    async (limit) => {
      const { limiters } = replicas(2, limit);
      const admitted = await admittedOf({ limiters, requests: 2 * limit });
      expect(admitted).toBeLessThanOrEqual(limit);
      expect(admitted).toBeGreaterThanOrEqual(0.96 * limit);
    },
  );

  it.each(LIMITS)('admit a limit of %i to the keys of a tenant together', async (limit) => {
    const { limiters } = replicas(2, limit, limit);
    const keys = ['one', 'two', 'three', 'four', 'five'];
    const admitted = await admittedOf({ limiters, requests: 2 * limit, keys });
    expect(admitted).toBeLessThanOrEqual(limit);
    expect(admitted).toBeGreaterThanOrEqual(0.96 * limit);
  });

  it.each(LIMITS)('leave at most 4 %% of %i with a replica that is idle', async (limit) => {
    const { limiters } = replicas(2, limit, limit);
    const first = await admittedOf({ limiters, requests: limit / 2 });
    const then = await admittedOf({ limiters: limiters.slice(0, 1), requests: limit });
    expect(first + then).toBeLessThanOrEqual(limit);
    expect(first + then).toBeGreaterThanOrEqual(0.96 * limit);
  });

  it('admit several points as a whole, and exactly the limit', async () => {
    const { limiters, used } = replicas(2, 600);
    expect(await admittedOf({ limiters, requests: 300, points: 7 })).toBe(595);
    expect(await admittedOf({ limiters, requests: 50 })).toBe(5);
    expect(await used('key')).toBe(600);
  });

  it('are decided at once and without a request to Redis while points are in hand', async () => {
    const { limiters, used } = replicas(1, 60_000, 600_000);
    const [limiter] = limiters as [RateLimiter];
    expect(limiter.consume('key', 1, undefined, 'ten')).toBeInstanceOf(Promise);
    await until(async () => (await used('key')) > 1);
    const leased = await used('key');
    expect(leased).toBeLessThanOrEqual(60_000 / 8);
    const decision = limiter.consume('key', 1, undefined, 'ten');
    expect(decision).toMatchObject({ allowed: true, limit: 60_000, remaining: 59_998 });
    // More than half of the block: more is leased in the background.
    for (let i = 2; i < leased; i++) {
      expect(limiter.consume('key', 1, undefined, 'ten')).toMatchObject({ allowed: true });
    }
    await until(async () => (await used('key')) > leased);
  });

  it('ask for all that wait for a key together', async () => {
    const { limiters, used } = replicas(1, 60);
    const [limiter] = limiters as [RateLimiter];
    const commands: unknown[] = [];
    const { client } = redisOf(0);
    const send = client.sendCommand.bind(client);
    client.sendCommand = (command, ...rest) => {
      commands.push(command.name);
      return send(command, ...rest);
    };
    try {
      const decisions = await Promise.all(Array.from({ length: 50 }, () => limiter.consume('key')));
      expect(decisions.map(({ remaining }) => remaining)).toEqual(
        Array.from({ length: 50 }, (_, n) => 59 - n),
      );
      expect(commands.filter((name) => name === 'evalsha' || name === 'eval').length).toBeLessThan(
        4,
      );
    } finally {
      client.sendCommand = send;
    }
    expect(await used('key')).toBe(50);
  });

  it('send at most 500 requests of a key in one script', async () => {
    const { limiters } = replicas(1, 2000);
    const [limiter] = limiters as [RateLimiter];
    const { client } = redisOf(0);
    const send = client.sendCommand.bind(client);
    const lengths: number[] = [];
    client.sendCommand = (command, ...rest) => {
      if (command.name === 'evalsha') lengths.push(command.args.length - 13);
      return send(command, ...rest);
    };
    try {
      const decisions = await Promise.all(
        Array.from({ length: 1200 }, () => limiter.consume('key', 1, 1200)),
      );
      expect(decisions.every(({ allowed }) => allowed)).toBe(true);
    } finally {
      client.sendCommand = send;
    }
    expect(lengths[0]).toBe(1);
    expect(Math.max(...lengths)).toBe(500);
  });

  it('are void in a window that began meanwhile', async () => {
    const { limiters, keyPrefix } = replicas(1, 6000);
    const [limiter] = limiters as [RateLimiter];
    const { client } = redisOf(0);
    await limiter.consume('key');
    await client.pexpire(`${keyPrefix}:key`, 30_000);
    // Learns how long the window lasts, and leases more.
    await limiter.consume('key', 100);
    await client.del(`${keyPrefix}:key`);
    // More than is in hand.
    expect(await limiter.consume('key', 100)).toMatchObject({ allowed: true });
    expect(await admittedOf({ limiters, requests: 6000 })).toBe(5900);
  });

  it('count what was admitted while it was away', async () => {
    const { proxy, url } = await openFlakyRedis();
    const logger = { warn: () => undefined, info: () => undefined };
    const connections = [0, 1].map(() => connectRedis(new Secret(url), { logger }));
    try {
      await until(() => connections.every(isConnected));
      const keyPrefix = `${open[0]?.keyPrefix}${made++}`;
      const limiters = connections.map((redis) =>
        createRateLimiter({ limitPerMinute: 600, redis, keyPrefix, replicas: () => 2 }),
      );
      const before = await admittedOf({ limiters, requests: 200 });
      proxy.cut();
      await until(() => !connections.some(isConnected));
      const away = await admittedOf({ limiters, requests: 200 });
      expect(before + away).toBe(400);
      proxy.mend();
      await until(() => connections.every(isConnected));
      const after = await admittedOf({ limiters, requests: 600 });
      expect(before + away + after).toBeGreaterThanOrEqual(0.96 * 600);
      expect(before + away + after).toBeLessThanOrEqual(600);
    } finally {
      for (const connection of connections) await connection.close();
      await proxy.close();
    }
  });

  it('admit in any order of requests no more than the limits, and refuse only what does not fit', async () => {
    const request = fc.record({
      replica: fc.nat(2),
      key: fc.constantFrom('one', 'two'),
      points: fc.integer({ min: 1, max: 40 }),
      waits: fc.boolean(),
    });
    const limits = fc.record({ key: fc.integer({ min: 1, max: 700 }), tenant: fc.nat(900) });
    const property = fc.asyncProperty(
      limits,
      fc.array(request, { minLength: 1, maxLength: 60 }),
      async (limit, requests) => {
        const { limiters, used } = replicas(3, limit.key, limit.tenant);
        const admitted: Record<string, number> = { one: 0, two: 0 };
        const running: Promise<void>[] = [];
        for (const { replica, key, points, waits } of requests) {
          const decide = async () => {
            const decision = await limiters[replica]?.consume(key, points, undefined, 'ten');
            if (decision?.allowed) admitted[key] = (admitted[key] ?? 0) + points;
            else expect(decision).toMatchObject({ remaining: 0 });
          };
          const decided = decide();
          running.push(decided);
          if (waits) await decided;
        }
        await Promise.all(running);
        const { one = 0, two = 0 } = admitted;
        const tenant = limit.tenant || Number.POSITIVE_INFINITY;
        expect(one + two).toBeLessThanOrEqual(tenant);
        for (const [key, points] of Object.entries(admitted)) {
          expect(points).toBeLessThanOrEqual(limit.key);
          // What is leased counts as used.
          expect(await used(key)).toBeGreaterThanOrEqual(points);
          expect(await used(key)).toBeLessThanOrEqual(limit.key);
          // One more point is refused only if the replicas have the rest in hand, at most 1 % of each limit.
          const more = await limiters[0]?.consume(key, 1, undefined, 'ten');
          if (more?.allowed) continue;
          const isKeys = limit.key - points <= 0.03 * limit.key;
          const isTenants = tenant - one - two <= 0.03 * tenant + 1;
          expect(isKeys || isTenants).toBe(true);
        }
      },
    );
    await fc.assert(property, { numRuns: Math.min(MANY_RUNS, 200) });
  });
});

describe.runIf(ownServersAvailable)('rate limits while Redis is away', () => {
  let server: OwnServer;
  const connections: RedisConnection[] = [];

  afterEach(async () => {
    for (const connection of connections.splice(0)) await connection.close();
    await server.remove();
  });

  async function start(limitPerMinute: number, tenantLimitPerMinute = 0) {
    server = await ownRedis();
    await server.start();
    const logger = { warn: () => undefined, info: () => undefined };
    for (let n = 0; n < 3; n++) connections.push(connectRedis(new Secret(server.url), { logger }));
    await until(() => connections.every(isConnected));
    const count = () => connections.length;
    return connections.map((redis) =>
      createRateLimiter({ limitPerMinute, tenantLimitPerMinute, redis, replicas: count }),
    );
  }

  const stop = async (): Promise<void> => {
    await server.stop();
    await until(() => !connections.some(isConnected));
  };

  it.each([10, 60, 600, 6000])('admit a limit of %i once in sum', async (limit) => {
    const limiters = await start(limit, limit);
    await stop();
    const admitted = await admittedOf({ limiters, requests: 4 * limit });
    expect(admitted).toBeGreaterThanOrEqual(0.93 * limit);
    expect(admitted).toBeLessThanOrEqual(1.3 * limit);
  });

  it.each(LIMITS)('admit of %i what was left when it stopped', async (limit) => {
    const limiters = await start(limit, 10 * limit);
    const before = await admittedOf({ limiters, requests: limit / 2 });
    expect(before).toBe(limit / 2);
    await stop();
    const after = await admittedOf({ limiters, requests: 4 * limit });
    expect(before + after).toBeGreaterThanOrEqual(0.93 * limit);
    expect(before + after).toBeLessThanOrEqual(1.3 * limit);
  });
});
