import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type OwnServer,
  ownRedis,
  ownServersAvailable,
} from '../../../test/support/own-servers.ts';
import { isConnected, waitLonger } from '../../../test/support/redis.ts';
import { until } from '../../../test/support/until.ts';
import { createRateLimiter } from '../../access/limits/rate-limiter.ts';
import { createRedisStore } from '../../upstreams/cache/redis-store.ts';
import { Secret } from '../kernel/secret.ts';
import { systemClock } from '../kernel/time.ts';
import { connectRedis, type RedisConnection } from './redis-connection.ts';

const LASTS_MS = 60_000;

/** Ways in which a server serves reads but no writes, each with the commands that undo it. */
const WAYS: readonly [name: string, fail: string[][], heal: string[][]][] = [
  [
    'is a replica of a server that is away',
    [['REPLICAOF', '127.0.0.1', '1']],
    [['REPLICAOF', 'NO', 'ONE']],
  ],
  ['holds writes back', [['CLIENT', 'PAUSE', String(LASTS_MS), 'WRITE']], [['CLIENT', 'UNPAUSE']]],
  [
    'is out of memory',
    [
      ['CONFIG', 'SET', 'maxmemory-policy', 'noeviction'],
      ['CONFIG', 'SET', 'maxmemory', '1'],
    ],
    [['CONFIG', 'SET', 'maxmemory', '0']],
  ],
];

describe.runIf(ownServersAvailable)('a Redis that reads but does not write', () => {
  let server: OwnServer;
  let operator: Redis;
  let redis: RedisConnection;
  const lines: string[] = [];
  const logger = {
    warn: (...line: unknown[]) => void lines.push(JSON.stringify(line)),
    info: () => undefined,
  };

  beforeAll(async () => {
    server = await ownRedis();
    await server.start();
    operator = new Redis(server.url);
  });
  afterAll(async () => {
    operator.disconnect();
    await server.remove();
  });
  beforeEach(async () => {
    lines.length = 0;
    redis = connectRedis(new Secret(server.url), { logger });
    waitLonger(redis.reader);
    await until(() => isConnected(redis));
  });
  afterEach(() => redis.close());

  const answersPing = () =>
    redis.ping().then(
      () => true,
      () => false,
    );

  const execute = async (commands: string[][]): Promise<void> => {
    for (const [name = '', ...args] of commands) await operator.call(name, ...args);
  };

  it.each(WAYS)('that %s: gets no commands after a few calls', async (_name, fail, heal) => {
    const store = createRedisStore({ redis, keyPrefix: 'cache:', clock: systemClock, logger });
    const limiter = createRateLimiter({ limitPerMinute: 1000, redis, keyPrefix: 'rate' });
    const now = Date.now();
    const response = {
      status: 200,
      url: '',
      fetchedAtMs: 0,
      fetchedAt: '',
      json: Buffer.from('1'),
      ok: true,
    };
    const entry = { response, freshUntil: now + 60_000, staleUntil: now + 60_000 };
    const find = () => store.lookUp(store.nameOf('known'));
    const share = (name: string) => store.share(store.nameOf(name), entry);
    share('known');
    await limiter.consume('key');
    await until(async () => (await find()) !== undefined);
    await until(answersPing);

    await execute(fail);
    // Three are enough, unless the connection is lost before they fail.
    await until(async () => {
      share('early');
      await limiter.consume('key');
      return lines.length > 0 && !redis.canWrite();
    });
    expect(await find()).toBeUndefined();
    // The earlier ping may have proved only just now that writes work.
    await until(async () => !(await answersPing()));

    let sent = 0;
    for (const connection of [redis.client, redis.reader]) {
      const send = connection.sendCommand.bind(connection);
      connection.sendCommand = (...command) => {
        sent += 1;
        return send(...command);
      };
    }
    for (let i = 0; i < 50; i++) {
      expect(await limiter.consume('key')).toMatchObject({ allowed: true });
      expect(await find()).toBeUndefined();
      share(`late ${i}`);
    }
    // The probes.
    expect(sent).toBeLessThan(10);
    expect(lines.filter((line) => line.includes('fails commands'))).toHaveLength(1);

    await execute(heal);
    await until(answersPing);
    expect(redis.canWrite()).toBe(true);
    await until(async () => (await find()) !== undefined);
  });
});
