import type { UpstreamResponse } from '../upstreams/payload/upstream-response.ts';

/** A good answer with its two expiries, in milliseconds of this process's steady clock. */
export interface CacheEntry {
  readonly response: UpstreamResponse;
  /** Until then it is a HIT. */
  readonly freshUntil: number;
  /** Until then it may stand in for a failed upstream. */
  readonly staleUntil: number;
}

/** A buffer cut from a much larger one would keep all of that alive for as long as it is cached. */
export function ownMemory(response: UpstreamResponse): UpstreamResponse {
  const { json } = response;
  if (json.buffer.byteLength <= 2 * json.length) return response;
  const copy = Buffer.allocUnsafeSlow(json.length);
  json.copy(copy);
  return { ...response, json: copy };
}
