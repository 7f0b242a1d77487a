import type pino from 'pino';
import type { Clock } from '../platform/kernel/clock.ts';
import type { RedisConnection } from '../platform/redis/redis-connection.ts';
import type { UpstreamResponse } from '../upstreams/payload/upstream-response.ts';
import type { CacheEntry } from './cache-entry.ts';
import { createMemoryStore } from './memory-store.ts';
import { createRedisStore } from './redis-store.ts';

/** Cached responses in two tiers: the memory of this process and, if configured, Redis. */
export interface TieredStore {
  /** Whether replicas share their entries over Redis. */
  readonly isShared: boolean;
  /** The entry in memory. */
  get(key: string): CacheEntry | undefined;
  /** The entry in Redis if it is newer than `known`, the one in memory; otherwise `known`. */
  refresh(key: string, known: CacheEntry | undefined): Promise<CacheEntry | undefined>;
  /** Stores a response in both tiers. */
  put(key: string, response: UpstreamResponse, ttlSeconds: number): void;
  /** Clears the memory. */
  clear(): void;
  /** Entries in memory, and their size. */
  size(): { readonly entries: number; readonly bytes: number };
}

export interface TieredStoreDeps {
  /** Byte budget of the memory; 0 stores nothing there. */
  readonly maxBytes: number;
  /** How long after its expiry an entry may replace the response of a failed upstream. */
  readonly staleSeconds: number;
  /** A steady clock: it determines the age of the entries. */
  readonly clock: Clock;
  /** Not closed with the store. */
  readonly redis?: RedisConnection | undefined;
  readonly keyPrefix?: string;
  readonly logger: Pick<pino.Logger, 'warn'>;
}

export function createTieredStore(deps: TieredStoreDeps): TieredStore {
  const { clock, redis, logger, keyPrefix = 'tool-gateway:cache:' } = deps;
  const memory = createMemoryStore(deps.maxBytes);
  const shared = redis && createRedisStore({ redis, keyPrefix, clock, logger });

  return {
    isShared: shared !== undefined,
    get: memory.get,
    async refresh(key, known) {
      const found = await shared?.read(key);
      if (!found || (known && known.freshUntil >= found.freshUntil)) return known;
      memory.set(key, found);
      return found;
    },
    put(key, response, ttlSeconds) {
      const freshUntil = clock.now() + ttlSeconds * 1000;
      const entry = { response, freshUntil, staleUntil: freshUntil + deps.staleSeconds * 1000 };
      memory.set(key, entry);
      shared?.write(key, entry);
    },
    clear: memory.clear,
    size: () => ({ entries: memory.entries(), bytes: memory.bytes() }),
  };
}
