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
import { createRedisStore } from '../../cache/redis-store.ts';
import { systemClock } from '../kernel/clock.ts';
import { Deadline } from '../kernel/deadline.ts';
import { Secret } from '../kernel/secret.ts';
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
  const linesOf = (kind: string) => lines.filter((line) => line.includes(kind));

  const execute = async (commands: string[][]): Promise<void> => {
    for (const [name = '', ...args] of commands) await operator.call(name, ...args);
  };

  it.each(WAYS)('that %s: gets only reads after a few calls', async (_name, fail, heal) => {
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
    const find = async (name: string) => {
      const key = store.sharedKey(name);
      const { entry: found, lease } = await store.lookUp(key, Deadline.in(LASTS_MS));
      store.settle(key, lease, undefined);
      return found;
    };
    store.settle(store.sharedKey('known'), undefined, entry);
    await limiter.consume('key');
    await until(async () => (await find('known')) !== undefined);
    await until(answersPing);

    await execute(fail);
    // Three of each are enough, unless the connection is lost before they fail.
    await until(async () => {
      store.settle(store.sharedKey('early'), undefined, entry);
      await limiter.consume('key');
      // While writes are held back, so are look-ups, until those that need no lease are sent.
      await find('known');
      return linesOf('writes').length > 0 && linesOf('scripts').length > 0;
    });
    await until(async () => (await find('known')) !== undefined);
    await until(() => !redis.canWrite());
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
    const calls = 50;
    for (let i = 0; i < calls; i++) {
      expect(await limiter.consume('key')).toMatchObject({ allowed: true });
      expect(await find('known')).toBeDefined();
      store.settle(store.sharedKey(`late ${i}`), undefined, entry);
    }
    // Two commands for every read (the value and its remaining time), and the probes.
    expect(sent).toBeLessThan(2 * calls + 10);
    expect(linesOf('writes')).toHaveLength(1);
    expect(linesOf('scripts')).toHaveLength(1);

    await execute(heal);
    await until(answersPing);
    expect(redis.canWrite()).toBe(true);
  });
});
