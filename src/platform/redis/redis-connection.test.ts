import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FlakyProxy } from '../../../test/support/flaky-proxy.ts';
import { isConnected, openFlakyRedis, testRedisUrl } from '../../../test/support/redis.ts';
import { until } from '../../../test/support/until.ts';
import { Secret } from '../kernel/secret.ts';
import { connectRedis, type RedisConnection } from './redis-connection.ts';

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
