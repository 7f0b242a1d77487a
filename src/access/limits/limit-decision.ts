import type { RefusalReason } from '../../platform/kernel/refusal.ts';

/** The window of every limit per minute. */
export const WINDOW_SECONDS = 60;

/** Bounds the memory, however many addresses call. A key whose window was evicted starts a new one. */
export const MAX_WINDOWS = 100_000;

/** A limiter's decision on one request, with the numbers for the `RateLimit` and `Retry-After` headers. */
export interface LimitDecision {
  readonly allowed: boolean;
  /** Requests in one window; 0 = no limit. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly resetSeconds: number;
  /** 0 when allowed, at least 1 otherwise. */
  readonly retryAfterSeconds: number;
  /** Whether the numbers describe the tenant's limit, which has fewer requests left than the key's. */
  readonly isTenants?: true;
  /** The decision on the key's daily limit, if it has one and no limit per minute refuses the request. */
  readonly day?: LimitDecision;
}

export const UNLIMITED: LimitDecision = Object.freeze({
  allowed: true,
  limit: 0,
  remaining: 0,
  resetSeconds: 0,
  retryAfterSeconds: 0,
});

/** Rounds seconds up, so that a client that waits as long as it is told is not refused again. */
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

/** Why a decision refuses a request. */
export const reasonOf = ({ day }: LimitDecision): RefusalReason =>
  day === undefined ? 'rate_limit' : 'daily_limit';

/** The limit to which a decision belongs, in a message to the client. */
export const nameOfLimit = ({ day, isTenants }: LimitDecision): string => {
  if (day !== undefined) return 'daily limit of this API key';
  return isTenants
    ? 'rate limit of all API keys of this tenant together'
    : 'rate limit of this API key';
};
