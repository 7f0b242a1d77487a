import type pino from 'pino';
import type { Clock } from '../platform/kernel/clock.ts';
import type { Closeable } from '../platform/kernel/closeable.ts';
import type { Departure } from '../platform/kernel/departure.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import type { RedisConnection } from '../platform/redis/redis-connection.ts';
import type { UpstreamResponse } from '../upstreams/payload/upstream-response.ts';
import type { CacheEntry } from './cache-entry.ts';
import { createMemoryStore } from './memory-store.ts';
import { createRedisStore } from './redis-store.ts';
import { createSingleFlight } from './single-flight.ts';

/** How a lookup ended (docs/contract.md#cache-status). */
export type CacheStatus = 'HIT' | 'MISS' | 'COALESCED' | 'STALE' | 'BYPASS';

/** A fresh fetch, and whether it may be kept: failures are passed through but never stored. */
export interface FetchedResponse {
  readonly response: UpstreamResponse;
  /** How long the upstream took. */
  readonly upstreamMs: number;
  readonly cacheable: boolean;
  /** The upstream itself failed (5xx, 429, its own fault code): an older good answer is better. */
  readonly preferStale: boolean;
}

export interface CacheLookup {
  /** From `cacheKey`. */
  readonly key: string;
  /** How long a good answer is fresh; 0 = ask the upstream, for this caller alone. */
  readonly ttlSeconds: number;
  /** Asks the upstream. The departure given comes only when every caller who waits for the answer has gone away. */
  readonly fetch: (departure: Departure | undefined) => Promise<FetchedResponse>;
  /** The caller's own departure, asked for unless the answer is at hand; absent for a caller who cannot go away. */
  readonly departure?: (() => Departure) | undefined;
}

/** A response, and how this caller came by it. */
export interface CacheResult {
  readonly response: UpstreamResponse;
  readonly cacheStatus: CacheStatus;
  /** Null when this caller did not itself ask the upstream. */
  readonly upstreamMs: number | null;
}

export interface CacheStats {
  readonly entries: number;
  readonly bytes: number;
  /** Lookups answered without an upstream call of their own: HIT and COALESCED. */
  readonly hits: number;
  /** Lookups that asked the upstream: MISS, STALE and failures. BYPASS counts as neither. */
  readonly misses: number;
  /** hits / (hits + misses), 0 to 1; null before the first lookup. */
  readonly hitRatio: number | null;
}

export interface ResponseCache extends Closeable {
  /**
   * Looks up, joins or fetches; a promise unless the answer is at hand. Rejects only with what `fetch` rejected with, or
   * `cancelled`.
   */
  lookup(request: CacheLookup): CacheResult | Promise<CacheResult>;
  stats(): CacheStats;
}

export interface ResponseCacheDeps {
  /** Byte budget of this process's own store; 0 keeps nothing here, but identical calls are still joined. */
  readonly maxBytes: number;
  /** How long after its expiry an answer may stand in for a failed upstream. */
  readonly staleSeconds: number;
  /** A steady one: ages are told by it. */
  readonly clock: Clock;
  /** Shared second store; not closed with the cache. */
  readonly redis?: RedisConnection | undefined;
  readonly keyPrefix?: string;
  readonly logger: Pick<pino.Logger, 'warn'>;
}

/** Faults of ours or of the caller's: an old answer would hide what must be put right. */
const NOT_COVERED_BY_STALE = new Set(['invalid_arguments', 'missing_secret', 'cancelled']);

const coveredByStale = (error: unknown): boolean =>
  !(error instanceof GatewayError && NOT_COVERED_BY_STALE.has(error.code));

/** Only the one who asked the upstream has a MISS, and its time; a HIT or STALE response is that for everybody. */
const forJoiners = ({ response, cacheStatus }: CacheResult): CacheResult => ({
  response,
  cacheStatus: cacheStatus === 'MISS' ? 'COALESCED' : cacheStatus,
  upstreamMs: null,
});

const hit = (response: UpstreamResponse): CacheResult => ({
  response,
  cacheStatus: 'HIT',
  upstreamMs: null,
});

export function createResponseCache(deps: ResponseCacheDeps): ResponseCache {
  const { clock, redis, logger, keyPrefix = 'tool-gateway:cache:' } = deps;
  const memory = createMemoryStore(deps.maxBytes);
  const shared = redis && createRedisStore({ redis, keyPrefix, clock, logger });
  const flights = createSingleFlight<CacheResult>(forJoiners);
  let lookups = 0;
  let misses = 0;

  const isFresh = (entry: CacheEntry | undefined): entry is CacheEntry =>
    entry !== undefined && clock.now() < entry.freshUntil;

  const staleResult = (
    entry: CacheEntry | undefined,
    upstreamMs: number | null,
  ): CacheResult | undefined =>
    entry && clock.now() < entry.staleUntil
      ? { response: entry.response, cacheStatus: 'STALE', upstreamMs }
      : undefined;

  /** Another replica may have stored a later answer than the one known here. */
  async function latest(
    key: string,
    known: CacheEntry | undefined,
  ): Promise<CacheEntry | undefined> {
    const found = await shared?.read(key);
    if (!found || (known && known.freshUntil >= found.freshUntil)) return known;
    memory.set(key, found);
    return found;
  }

  function keep({ key, ttlSeconds }: CacheLookup, response: UpstreamResponse): void {
    const freshUntil = clock.now() + ttlSeconds * 1000;
    const entry = { response, freshUntil, staleUntil: freshUntil + deps.staleSeconds * 1000 };
    memory.set(key, entry);
    shared?.write(key, entry);
  }

  async function ask(
    lookup: CacheLookup,
    known: CacheEntry | undefined,
    departure: Departure,
  ): Promise<CacheResult> {
    const entry = shared ? await latest(lookup.key, known) : known;
    if (isFresh(entry)) return hit(entry.response);
    if (departure.hasLeft) throw new GatewayError('cancelled');
    misses++;
    try {
      const { response, upstreamMs, cacheable, preferStale } = await lookup.fetch(departure);
      const stale = preferStale ? staleResult(entry, upstreamMs) : undefined;
      if (stale) return stale;
      if (cacheable) keep(lookup, response);
      return { response, cacheStatus: 'MISS', upstreamMs };
    } catch (error) {
      const stale = coveredByStale(error) ? staleResult(entry, null) : undefined;
      if (stale) return stale;
      throw error;
    }
  }

  async function bypass({ fetch, departure }: CacheLookup): Promise<CacheResult> {
    const { response, upstreamMs } = await fetch(departure?.());
    return { response, cacheStatus: 'BYPASS', upstreamMs };
  }

  return {
    lookup(lookup) {
      const { key, departure } = lookup;
      if (lookup.ttlSeconds <= 0) return bypass(lookup);
      lookups++;
      const known = memory.get(key);
      if (isFresh(known)) return hit(known.response);
      return flights.join(key, {
        run: (abandonment) => ask(lookup, known, abandonment),
        departure,
      });
    },
    stats: () => ({
      entries: memory.entries(),
      bytes: memory.bytes(),
      hits: lookups - misses,
      misses,
      hitRatio: lookups === 0 ? null : (lookups - misses) / lookups,
    }),
    async close() {
      memory.clear();
    },
  };
}
