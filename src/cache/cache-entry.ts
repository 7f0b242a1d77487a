import type { CachedAnswer } from './cached-answer.ts';

/** A good answer with its two expiries, in milliseconds of this process's steady clock. */
export interface CacheEntry {
  readonly answer: CachedAnswer;
  /** Until then it is a HIT. */
  readonly freshUntil: number;
  /** Until then it may stand in for a failed upstream. */
  readonly staleUntil: number;
}

/** A buffer cut from a much larger one would keep all of that alive for as long as it is cached. */
export function ownMemory(answer: CachedAnswer): CachedAnswer {
  const { json } = answer;
  if (json.buffer.byteLength <= 2 * json.length) return answer;
  const copy = Buffer.allocUnsafeSlow(json.length);
  json.copy(copy);
  return { ...answer, json: copy };
}
