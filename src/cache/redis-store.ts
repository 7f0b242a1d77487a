import { hash } from 'node:crypto';
import type pino from 'pino';
import type { Clock } from '../platform/kernel/clock.ts';
import { createOutageLog } from '../platform/kernel/outage-log.ts';
import type { RedisConnection } from '../platform/redis/redis-connection.ts';
import type { CacheEntry } from './cache-entry.ts';
import { decodeEntry, encodeEntry, type SharedEntry } from './entry-codec.ts';

/** Entries shared by all replicas. If Redis is unreachable, slow or full, a read is a miss, never an error. */
export interface SharedStore {
  read(key: string): Promise<CacheEntry | undefined>;
  /** Returns at once and writes in the background. */
  write(key: string, entry: CacheEntry): void;
}

export interface RedisStoreDeps {
  readonly redis: Pick<RedisConnection, 'client' | 'reader' | 'canRead' | 'canWrite'>;
  readonly keyPrefix: string;
  readonly clock: Clock;
  readonly logger: Pick<pino.Logger, 'warn'>;
}

/** A larger response stays in this process: a read from Redis happens before the memory budget is charged. */
const MAX_SHARED_BYTES = 1024 * 1024;

export function createRedisStore({ redis, keyPrefix, clock, logger }: RedisStoreDeps): SharedStore {
  const reportFailure = createOutageLog(logger, 'The shared cache failed; continuing without it.');
  // Keys contain the arguments of callers: Redis sees only their digest.
  const redisKey = (key: string): string => keyPrefix + hash('sha256', key, 'base64url');

  return {
    async read(key) {
      if (!redis.canRead()) return undefined;
      try {
        const name = redisKey(key);
        // In this order: if another replica writes in between, its response only seems older than it is.
        const [leftMs, value] = await Promise.all([
          redis.reader.pttl(name),
          redis.reader.getBuffer(name),
        ]);
        const entry = value ? decodeEntry(value) : undefined;
        return entry && leftMs > 0 ? toCacheEntry(entry, leftMs, clock.now()) : undefined;
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

/** Redis alone determines the age, whatever the clocks of the replicas show; the lifetime left never grows. */
function toCacheEntry(
  { response, lifetimeMs, staleMs }: SharedEntry,
  leftMs: number,
  nowMs: number,
): CacheEntry {
  const staleUntil = nowMs + Math.min(leftMs, lifetimeMs);
  return { response, freshUntil: staleUntil - staleMs, staleUntil };
}
