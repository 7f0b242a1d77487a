/** The window of every limit. */
export const WINDOW_SECONDS = 60;

/** What a limiter says of one request; the numbers of the `RateLimit` and `Retry-After` headers. */
export interface LimitDecision {
  readonly allowed: boolean;
  /** Requests a minute; 0 = there is no limit. */
  readonly limit: number;
  readonly remaining: number;
  /** Until the count starts anew. */
  readonly resetSeconds: number;
  /** 0 when allowed, at least 1 otherwise. */
  readonly retryAfterSeconds: number;
}

export const UNLIMITED: LimitDecision = Object.freeze({
  allowed: true,
  limit: 0,
  remaining: 0,
  resetSeconds: 0,
  retryAfterSeconds: 0,
});

/** Seconds are rounded up, so that whoever waits as told is not refused again. */
export function toDecision(
  allowed: boolean,
  limit: number,
  remaining: number,
  msBeforeReset: number,
): LimitDecision {
  const resetSeconds = Math.max(1, Math.ceil(msBeforeReset / 1000));
  const retryAfterSeconds = allowed ? 0 : resetSeconds;
  return { allowed, limit, remaining, resetSeconds, retryAfterSeconds };
}
