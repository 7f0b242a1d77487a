import { hash } from 'node:crypto';
import type pino from 'pino';
import type { Clock } from '../platform/kernel/clock.ts';
import { createOutageLog } from '../platform/kernel/outage-log.ts';
import type { RedisConnection } from '../platform/redis/redis-connection.ts';
import type { CacheEntry } from './cache-entry.ts';
import { decodeEntry, encodeEntry, type SharedEntry } from './entry-codec.ts';

/** Entries shared by all replicas. Redis away, slow or full is a miss, never an error. */
export interface SharedStore {
  read(key: string): Promise<CacheEntry | undefined>;
  /** Returns at once; the entry is written when it can be. */
  write(key: string, entry: CacheEntry): void;
}

export interface RedisStoreDeps {
  readonly redis: Pick<RedisConnection, 'client' | 'reader' | 'canRead' | 'canWrite'>;
  readonly keyPrefix: string;
  readonly clock: Clock;
  readonly logger: Pick<pino.Logger, 'warn'>;
}

/** A larger answer stays in this process: whoever reads it from Redis has not asked the memory budget yet. */
const MAX_SHARED_BYTES = 1024 * 1024;

export function createRedisStore({ redis, keyPrefix, clock, logger }: RedisStoreDeps): SharedStore {
  const reportFailure = createOutageLog(logger, 'The shared cache failed; going on without it.');
  // Keys hold a caller's arguments: Redis sees only their digest.
  const redisKey = (key: string): string => keyPrefix + hash('sha256', key, 'base64url');

  return {
    async read(key) {
      if (!redis.canRead()) return undefined;
      try {
        const name = redisKey(key);
        // In this order: should another replica write in between, its answer is taken for older than it is.
        const [leftMs, value] = await Promise.all([
          redis.reader.pttl(name),
          redis.reader.getBuffer(name),
        ]);
        const entry = value ? decodeEntry(value) : undefined;
        return entry && leftMs > 0 ? dated(entry, leftMs, clock.now()) : undefined;
      } catch (error) {
        reportFailure(error);
        return undefined;
      }
    },
    write(key, entry) {
      if (entry.response.json.length > MAX_SHARED_BYTES) return;
      const lifetimeMs = Math.ceil(entry.staleUntil - clock.now());
      if (lifetimeMs <= 0 || !redis.canWrite()) return;
      const { response, freshUntil, staleUntil } = entry;
      const value = encodeEntry({ response, lifetimeMs, staleMs: staleUntil - freshUntil });
      redis.client.set(redisKey(key), value, 'PX', lifetimeMs).catch(reportFailure);
    },
  };
}

/** Redis alone tells the age, whatever the clocks of the replicas say; never more is left than there was at first. */
function dated({ response, lifetimeMs, staleMs }: SharedEntry, leftMs: number, nowMs: number) {
  const staleUntil = nowMs + Math.min(leftMs, lifetimeMs);
  return { response, freshUntil: staleUntil - staleMs, staleUntil };
}
