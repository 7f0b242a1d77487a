import type { Cancellation } from '../platform/kernel/cancellation.ts';
import type { Closeable } from '../platform/kernel/closeable.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import type { UpstreamResponse } from '../upstreams/payload/upstream-response.ts';
import { type CacheEntry, isFresh, isUsable } from './cache-entry.ts';
import { createSingleFlight, type Participant } from './single-flight.ts';
import { createTieredStore, type TieredStoreDeps } from './tiered-store.ts';

/** How a lookup ended (docs/contract.md#cache-status). */
export type CacheStatus = 'HIT' | 'MISS' | 'COALESCED' | 'STALE' | 'BYPASS';

/** A fetched response. Failures are passed through but never stored. */
export interface FetchedResponse {
  readonly response: UpstreamResponse;
  /** How long the upstream took. */
  readonly upstreamMs: number;
  readonly cacheable: boolean;
  /** How long it is fresh, in seconds, if not as long as the lookup says. */
  readonly ttlSeconds?: number;
  /** The upstream itself failed (5xx, 429, a result code of its own failure): an older successful response is better. */
  readonly preferStale: boolean;
}

export interface CacheLookup {
  /** From `cacheKey`. */
  readonly key: string;
  /** How long a successful response is fresh. 0 sends a request to the upstream for this caller alone. */
  readonly ttlSeconds: number;
  /** Sends the request. The cancellation is triggered only when every caller who waits for the response has left. */
  fetch(cancellation: Cancellation | undefined): Promise<FetchedResponse>;
  /** The caller's own cancellation, requested only on a miss; absent for a caller who cannot disconnect. */
  readonly cancellation?: (() => Cancellation) | undefined;
}

/** A response, and how this caller got it. */
export interface CacheResult {
  readonly response: UpstreamResponse;
  readonly cacheStatus: CacheStatus;
  /** Null when this caller sent no request to the upstream. */
  readonly upstreamMs: number | null;
}

export interface CacheStats {
  readonly entries: number;
  readonly bytes: number;
  /** Lookups that sent no request to the upstream: HIT and COALESCED. */
  readonly hits: number;
  /** Lookups that sent one: MISS, STALE and failures. BYPASS counts as neither. */
  readonly misses: number;
  /** hits / (hits + misses), 0 to 1; null before the first lookup. */
  readonly hitRatio: number | null;
}

export interface ResponseCache extends Closeable {
  /** Looks up, joins or fetches; synchronous on a hit. Rejects only with the rejection of `fetch`, or `cancelled`. */
  lookup(request: CacheLookup): CacheResult | Promise<CacheResult>;
  stats(): CacheStats;
}

/** With a budget of 0 bytes, identical calls still share one request. */
export type ResponseCacheDeps = TieredStoreDeps;

/** Errors of the gateway or the caller: a stale response would hide a problem that must be fixed. */
const NOT_COVERED_BY_STALE = new Set(['invalid_arguments', 'missing_secret', 'cancelled']);

const coveredByStale = (error: unknown): boolean =>
  !(error instanceof GatewayError && NOT_COVERED_BY_STALE.has(error.code));

/** Only the caller who sent the request has a MISS, and its duration. A HIT or STALE is the same for every caller. */
const forJoiners = ({ response, cacheStatus }: CacheResult): CacheResult => ({
  response,
  cacheStatus: cacheStatus === 'MISS' ? 'COALESCED' : cacheStatus,
  upstreamMs: null,
});

const hit = ({ response }: CacheEntry): CacheResult => ({
  response,
  cacheStatus: 'HIT',
  upstreamMs: null,
});

const stale = ({ response }: CacheEntry, upstreamMs: number | null): CacheResult => ({
  response,
  cacheStatus: 'STALE',
  upstreamMs,
});

async function bypass(lookup: CacheLookup): Promise<CacheResult> {
  const { response, upstreamMs } = await lookup.fetch(lookup.cancellation?.());
  return { response, cacheStatus: 'BYPASS', upstreamMs };
}

interface MissedLookup extends Participant<CacheResult> {
  readonly lookup: CacheLookup;
  /** An entry that is no longer fresh. */
  readonly known: CacheEntry | undefined;
}

export function createResponseCache(deps: ResponseCacheDeps): ResponseCache {
  const { clock } = deps;
  const store = createTieredStore(deps);
  const flights = createSingleFlight<CacheResult>(forJoiners);
  let lookups = 0;
  let misses = 0;

  async function resolve(
    lookup: CacheLookup,
    known: CacheEntry | undefined,
    cancellation: Cancellation,
  ): Promise<CacheResult> {
    const entry = store.isShared ? await store.refresh(lookup.key, known) : known;
    if (isFresh(entry, clock)) return hit(entry);
    if (cancellation.isCancelled) throw new GatewayError('cancelled');
    misses++;
    try {
      const { response, upstreamMs, cacheable, preferStale, ttlSeconds } =
        await lookup.fetch(cancellation);
      if (preferStale && isUsable(entry, clock)) return stale(entry, upstreamMs);
      if (cacheable) store.put(lookup.key, response, ttlSeconds ?? lookup.ttlSeconds);
      return { response, cacheStatus: 'MISS', upstreamMs };
    } catch (error) {
      if (coveredByStale(error) && isUsable(entry, clock)) return stale(entry, null);
      throw error;
    }
  }

  /** One function for all lookups: a closure would cost every miss 100 bytes. */
  function run(this: MissedLookup, cancellation: Cancellation): Promise<CacheResult> {
    return resolve(this.lookup, this.known, cancellation);
  }

  return {
    lookup(lookup) {
      if (lookup.ttlSeconds <= 0) return bypass(lookup);
      lookups++;
      const known = store.get(lookup.key);
      if (isFresh(known, clock)) return hit(known);
      const missed: MissedLookup = { lookup, known, run, cancellation: lookup.cancellation };
      return flights.join(lookup.key, missed);
    },
    stats: () => ({
      ...store.size(),
      hits: lookups - misses,
      misses,
      hitRatio: lookups === 0 ? null : (lookups - misses) / lookups,
    }),
    async close() {
      store.clear();
    },
  };
}
