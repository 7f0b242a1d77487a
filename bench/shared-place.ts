import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { newEncryptionKey } from '../src/platform/vault/cipher.ts';
import { newName, onServer, withDatabase } from '../test/support/postgres-template.ts';

/** A database and a part of Redis that only some replicas use, so that others do not count among them. */
export interface SharedPlace {
  /** The settings of each of the replicas. */
  readonly env: Readonly<Record<string, string>>;
  /** Removes the responses that Redis holds, of which misses leave hundreds of megabytes. */
  clearCache(): Promise<void>;
  remove(): Promise<void>;
}

/** The servers: `DATABASE_URL` and `REDIS_URL`, or those that `scripts/with-servers.ts` has started. Throws without them. */
export function serversOfEnvironment(): { databaseUrl: string; redisUrl: string } {
  const { DATABASE_URL, REDIS_URL, TEST_DATABASE_URL, TEST_REDIS_URL } = process.env;
  const databaseUrl = DATABASE_URL || TEST_DATABASE_URL;
  const redisUrl = REDIS_URL || TEST_REDIS_URL;
  if (databaseUrl && redisUrl) return { databaseUrl, redisUrl };
  throw new Error(
    'Set DATABASE_URL and REDIS_URL, or run: node scripts/with-servers.ts npm run bench:replicas',
  );
}

/** Makes a place on the servers. The role must be allowed to create databases. */
export async function makeSharedPlace(): Promise<SharedPlace> {
  const { databaseUrl, redisUrl } = serversOfEnvironment();
  const name = newName();
  const prefix = `bench:${randomUUID()}:`;
  await onServer(databaseUrl, `create database ${name}`);
  return {
    env: {
      DATABASE_URL: withDatabase(databaseUrl, name),
      REDIS_URL: redisUrl,
      REDIS_KEY_PREFIX: prefix,
      ENCRYPTION_KEY: newEncryptionKey().reveal(),
    },
    clearCache: () => removeKeys(redisUrl, `${prefix}cache:*`),
    // A server that has stopped has nothing to remove.
    remove: async () => {
      await Promise.allSettled([
        removeKeys(redisUrl, `${prefix}*`),
        onServer(databaseUrl, `drop database ${name} with (force)`),
      ]);
    },
  };
}

async function removeKeys(redisUrl: string, match: string): Promise<void> {
  const redis = new Redis(redisUrl, { lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    for await (const keys of redis.scanStream({ match, count: 1000 })) {
      if (keys.length > 0) await redis.unlink(...keys);
    }
  } finally {
    redis.disconnect();
  }
}
