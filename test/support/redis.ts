import { randomUUID } from 'node:crypto';
import { Secret } from '../../src/platform/kernel/secret.ts';
import { connectRedis, type RedisConnection } from '../../src/platform/redis/redis-connection.ts';
import { type FlakyProxy, startFlakyProxy } from './flaky-proxy.ts';
import { until } from './until.ts';

const silent = { warn: () => undefined, info: () => undefined };

/**
 * Address of the Redis that tests may use; when undefined, its cases are skipped (`describe.runIf`). The whole suite
 * must run in CI: there, a missing address is a failure.
 */
export const testRedisUrl: string | undefined = process.env['TEST_REDIS_URL'] || undefined;
if (!testRedisUrl) {
  if (process.env['CI'] === 'true') throw new Error('TEST_REDIS_URL must be set when CI=true.');
  console.warn('TEST_REDIS_URL is not set: the cases that need Redis are skipped.');
}

export interface TestRedis {
  readonly connection: RedisConnection;
  /** Unique, so that test files may run concurrently on one server. */
  readonly keyPrefix: string;
  /** Deletes the keys under the prefix and closes the connection. */
  cleanUp(): Promise<void>;
}

/** The test Redis behind a connection that can be cut: connect to `url` instead. */
export async function openFlakyRedis(): Promise<{ proxy: FlakyProxy; url: string }> {
  const url = new URL(testRedisUrl ?? '');
  const proxy = await startFlakyProxy({ host: url.hostname, port: Number(url.port || 6379) });
  url.host = `127.0.0.1:${proxy.port}`;
  return { proxy, url: url.href };
}

/** Whether both connections, for writes and for reads, are ready. */
export const isConnected = ({ client, reader }: RedisConnection): boolean =>
  client.status === 'ready' && reader.status === 'ready';

/** Makes commands wait longer than in the gateway, which gives up before a busy machine has run them. */
export function waitLonger({ options }: RedisConnection['client']): void {
  Object.assign(options, { commandTimeout: 30_000, socketTimeout: 30_000 });
}

/** A ready connection with a key prefix of its own, whose commands wait longer than in the gateway. */
export async function openTestRedis(): Promise<TestRedis> {
  if (!testRedisUrl) throw new Error('TEST_REDIS_URL is not set.');
  const connection = connectRedis(new Secret(testRedisUrl), { logger: silent });
  for (const client of [connection.client, connection.reader]) waitLonger(client);
  const keyPrefix = `test:${randomUUID()}:`;
  await until(() => isConnected(connection));
  return {
    connection,
    keyPrefix,
    async cleanUp() {
      const keys = await connection.client.keys(`${keyPrefix}*`);
      if (keys.length > 0) await connection.client.del(keys);
      await connection.close();
    },
  };
}
