import type { Closeable } from '../kernel/closeable.ts';
import type { PublicDataStatus } from '../payload/normalise-payload.ts';

/** A good answer as it is kept. */
export interface CachedAnswer {
  readonly status: number;
  /** Redacted upstream address of the call that fetched it. */
  readonly url: string;
  readonly json: Buffer;
  readonly publicData?: PublicDataStatus;
  readonly rows?: number;
}

/** How a lookup ended (specification "Tool call result", contract "JSON-RPC"). */
export type CacheStatus = 'HIT' | 'MISS' | 'COALESCED' | 'STALE' | 'BYPASS';

/** A fresh fetch, and whether it may be kept: failures are passed through but never stored. */
export interface FetchedAnswer {
  readonly answer: CachedAnswer;
  readonly cacheable: boolean;
  /** The upstream itself failed (5xx, 429, its own fault code): an older good answer is better. */
  readonly preferStale: boolean;
}

export interface CacheLookup {
  readonly key: string;
  readonly ttlSeconds: number;
  /**
   * Asks the upstream. The signal given is aborted only when every caller who waits has gone away, so that one
   * leader's abort does not fail those who joined.
   */
  readonly fetch: (signal: AbortSignal) => Promise<FetchedAnswer>;
  readonly signal?: AbortSignal;
}

export interface CacheOutcome {
  readonly answer: CachedAnswer;
  readonly status: CacheStatus;
}

export interface CacheStats {
  readonly entries: number;
  readonly bytes: number;
  readonly hits: number;
  readonly misses: number;
  /** hits / (hits + misses), 0 to 1; null before the first lookup. */
  readonly hitRatio: number | null;
}

/** Looks up, joins or fetches. Rejects only with what `fetch` rejected with, or `cancelled`. */
export interface AnswerCache extends Closeable {
  lookup(request: CacheLookup): Promise<CacheOutcome>;
  stats(): CacheStats;
}
