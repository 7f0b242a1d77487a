import { hash } from 'node:crypto';
import type pino from 'pino';
import type { Clock } from '../kernel/clock.ts';
import { createOutageLog } from '../redis/outage-log.ts';
import type { RedisConnection } from '../redis/redis-connection.ts';
import type { CacheEntry } from './cache-entry.ts';
import { decodeEntry, encodeEntry } from './entry-codec.ts';

/** Entries shared by all replicas. Redis away, slow or full is a miss, never an error. */
export interface SharedStore {
  read(key: string): Promise<CacheEntry | undefined>;
  /** Returns at once; the entry is written when it can be. */
  write(key: string, entry: CacheEntry): void;
}

export interface RedisStoreDeps {
  readonly redis: Pick<RedisConnection, 'client' | 'isReady'>;
  readonly keyPrefix: string;
  readonly clock: Clock;
  readonly logger: Pick<pino.Logger, 'warn'>;
}

export function createRedisStore({ redis, keyPrefix, clock, logger }: RedisStoreDeps): SharedStore {
  const reportFailure = createOutageLog(logger, 'The shared cache failed; going on without it.');
  // Keys hold a caller's arguments: Redis sees only their digest.
  const redisKey = (key: string): string => keyPrefix + hash('sha256', key, 'base64url');

  return {
    async read(key) {
      if (!redis.isReady()) return undefined;
      try {
        const value = await redis.client.getBuffer(redisKey(key));
        return value ? decodeEntry(value) : undefined;
      } catch (error) {
        reportFailure(error);
        return undefined;
      }
    },
    write(key, entry) {
      const lifetimeMs = Math.ceil(entry.staleUntil - clock.now());
      if (lifetimeMs <= 0 || !redis.isReady()) return;
      redis.client.set(redisKey(key), encodeEntry(entry), 'PX', lifetimeMs).catch(reportFailure);
    },
  };
}
