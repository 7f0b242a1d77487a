import type { Clock } from '../platform/kernel/clock.ts';
import type { UpstreamResponse } from '../upstreams/payload/upstream-response.ts';

/** A successful response and its two expiry times, in milliseconds of this process's steady clock. */
export interface CacheEntry {
  readonly response: UpstreamResponse;
  /** Before this time the entry is a HIT. */
  readonly freshUntil: number;
  /** Before this time the entry may replace the response of a failed upstream. */
  readonly staleUntil: number;
}

export const isFresh = (entry: CacheEntry | undefined, clock: Clock): entry is CacheEntry =>
  entry !== undefined && clock.now() < entry.freshUntil;

/** Whether the entry may replace the response of a failed upstream. */
export const isUsable = (entry: CacheEntry | undefined, clock: Clock): entry is CacheEntry =>
  entry !== undefined && clock.now() < entry.staleUntil;

/** Copies a slice of a much larger buffer, which would otherwise stay in memory for as long as the slice is cached. */
export function ownMemory(response: UpstreamResponse): UpstreamResponse {
  const { json } = response;
  if (json.buffer.byteLength <= 2 * json.length) return response;
  const copy = Buffer.allocUnsafeSlow(json.length);
  json.copy(copy);
  return { ...response, json: copy };
}
