/** How a lookup in the cache ended (docs/contract.md#cache-status). */
export const CACHE_STATUSES = ['HIT', 'MISS', 'COALESCED', 'STALE', 'BYPASS'] as const;

export type CacheStatus = (typeof CACHE_STATUSES)[number];

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
