import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FlakyProxy } from '../../../test/support/flaky-proxy.ts';
import { isConnected, openFlakyRedis, testRedisUrl } from '../../../test/support/redis.ts';
import { until } from '../../../test/support/until.ts';
import { Secret } from '../kernel/secret.ts';
import { connectRedis, createBreaker, type RedisConnection } from './redis-connection.ts';

const lines: string[] = [];
const logger = {
  warn: (...line: unknown[]) => void lines.push(JSON.stringify(line)),
  info: (...line: unknown[]) => void lines.push(JSON.stringify(line)),
};
let redis: RedisConnection | undefined;

beforeEach(() => {
  lines.length = 0;
});
afterEach(() => redis?.close());

describe('connectRedis while the server is away', () => {
  it('does not throw, is not connected, rejects pings as unavailable, and logs neither address nor password', async () => {
    redis = connectRedis(new Secret('redis://user:hunter2@127.0.0.1:1'), { logger });
    await until(() => lines.length > 0);
    expect(isConnected(redis)).toBe(false);
    await expect(redis.ping()).rejects.toMatchObject({ code: 'unavailable' });
    expect(lines.join()).not.toContain('hunter2');
    expect(lines).toHaveLength(1);
  });

  it('can be closed twice', async () => {
    const connection = connectRedis(new Secret('redis://127.0.0.1:1'), { logger });
    await connection.close();
    await connection.close();
    await until(() => connection.client.status === 'end');
  });
});

describe.runIf(testRedisUrl)('connectRedis', () => {
  let proxy: FlakyProxy;
  let url: string;

  beforeEach(async () => {
    ({ proxy, url } = await openFlakyRedis());
  });
  afterEach(async () => {
    await redis?.close();
    await proxy.close();
  });

  async function connected(): Promise<RedisConnection> {
    const connection = connectRedis(new Secret(url), { logger });
    redis = connection;
    await until(() => isConnected(connection));
    return connection;
  }

  /** One ping may take too long on a busy machine. */
  const answersPing = (connection: RedisConnection) =>
    until(() =>
      connection.ping().then(
        () => true,
        () => false,
      ),
    );

  it('connects and resolves pings', async () => {
    await answersPing(await connected());
  });

  it('refuses a wrong password without writing it to the log', async () => {
    const address = new URL(url);
    address.username = 'nobody';
    address.password = 'hunter2';
    redis = connectRedis(new Secret(address.href), { logger });
    await until(() => lines.length > 0);
    expect(isConnected(redis)).toBe(false);
    expect(lines).toEqual([expect.stringContaining('WRONGPASS')]);
    expect(lines.join()).not.toContain('hunter2');
  });

  it('fails at once when the server is cut off, and reconnects automatically', async () => {
    const connection = await connected();
    proxy.cut();
    await until(() => !isConnected(connection));
    await expect(connection.ping()).rejects.toMatchObject({ code: 'unavailable' });

    proxy.mend();
    await until(() => isConnected(connection));
    await answersPing(connection);
  });

  it('disconnects when the server hangs, and reconnects automatically', async () => {
    const connection = await connected();
    proxy.silence();
    await expect(connection.ping()).rejects.toMatchObject({ code: 'unavailable' });
    await until(() => !isConnected(connection));

    proxy.mend();
    await until(() => isConnected(connection));
    await answersPing(connection);
  });

  it('can be closed twice', async () => {
    const connection = await connected();
    await connection.close();
    await connection.close();
    expect(isConnected(connection)).toBe(false);
  });
});

const timedOut = () => Promise.reject(new Error('Command timed out'));
const reply = (message: string) => () =>
  Promise.reject(Object.assign(new Error(message), { name: 'ReplyError' }));
const lost = () => Promise.reject(new Error('Connection is closed.'));

function setUp() {
  let now = 1_000_000;
  const opened: unknown[] = [];
  const breaker = createBreaker(
    (error) => opened.push(error),
    () => now,
  );
  let sent = 0;
  /** Runs commands one after another. Resolves with the number that were sent. */
  async function run(command: () => Promise<unknown>, times = 1): Promise<number> {
    const before = sent;
    for (let i = 0; i < times; i++) {
      const send = () => {
        sent += 1;
        return command();
      };
      await breaker.run(send).catch(() => undefined);
    }
    return sent - before;
  }
  return {
    breaker,
    run,
    opened,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

describe('a breaker', () => {
  it.each([
    ['time-outs', timedOut],
    ['a replica that is read-only', reply("READONLY You can't write against a read only replica.")],
    ['memory that is full', reply("OOM command not allowed when used memory > 'maxmemory'.")],
  ])('sends no more after three failures in a row by %s, and says so once', async (_why, fail) => {
    const { run, opened, breaker } = setUp();
    expect(await run(fail, 100)).toBe(3);
    expect(breaker.admits()).toBe(false);
    expect(opened).toHaveLength(1);
  });

  it('ignores a lost connection and a script that has to be loaded', async () => {
    const { run } = setUp();
    expect(await run(lost, 10)).toBe(10);
    expect(await run(reply('NOSCRIPT No matching script.'), 10)).toBe(10);
  });

  it('starts counting again after a success', async () => {
    const { run, opened } = setUp();
    for (let i = 0; i < 5; i++) {
      await run(timedOut, 2);
      await run(async () => 'OK');
    }
    expect(opened).toEqual([]);
  });

  it('sends a probe after 5, 10, 20, 30 and 30 seconds', async () => {
    const { run, pass } = setUp();
    await run(timedOut, 3);
    for (const waitMs of [5000, 10_000, 20_000, 30_000, 30_000]) {
      pass(waitMs - 1);
      expect(await run(timedOut, 10)).toBe(0);
      pass(1);
      expect(await run(timedOut, 10)).toBe(1);
    }
  });

  it('sends all commands again once the probe succeeds', async () => {
    const { run, pass } = setUp();
    await run(timedOut, 3);
    pass(5000);
    expect(await run(async () => 'OK', 10)).toBe(10);
    expect(await run(timedOut, 10)).toBe(3);
  });

  it('sends no second probe while the first is pending', async () => {
    const { breaker, run, pass } = setUp();
    await run(timedOut, 3);
    pass(5000);
    const { promise, resolve } = Promise.withResolvers<string>();
    const probe = breaker.run(() => promise);
    expect(await run(async () => 'OK')).toBe(0);
    resolve('OK');
    await probe;
    expect(await run(async () => 'OK')).toBe(1);
  });

  it('sends a probe at once on a new connection, but not on every new one', async () => {
    const { breaker, run } = setUp();
    await run(timedOut, 3);
    breaker.reconnected();
    expect(await run(timedOut, 10)).toBe(1);
    breaker.reconnected();
    expect(await run(timedOut, 10)).toBe(0);
  });
});
