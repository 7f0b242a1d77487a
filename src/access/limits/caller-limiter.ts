import { type Awaitable, whenReady } from '../../platform/kernel/awaitable.ts';
import type { Caller, KeyLimits } from '../keys/caller.ts';
import type { DailyLimiter } from './daily-limiter.ts';
import type { LimitDecision, RateLimiter } from './rate-limiter.ts';

/** Applies the limits of a caller: the gateway's, or those of its key, and that of its tenant. */
export interface CallerLimiter {
  /** Counts the points (one by default). They pass or are refused together. Never rejects. */
  consume(caller: LimitedCaller, points?: number): Awaitable<LimitDecision>;
}

export type LimitedCaller = Pick<Caller, 'tenantId' | 'apiKeyId' | 'limits'>;

export interface CallerLimiterDeps {
  readonly rateLimiter: RateLimiter;
  readonly dailyLimiter: Pick<DailyLimiter, 'consume'>;
}

/** A key without limits of its own, as most are, costs one comparison more than the rate limiter alone. */
export function createCallerLimiter({
  rateLimiter,
  dailyLimiter,
}: CallerLimiterDeps): CallerLimiter {
  function consumeOwn(
    { tenantId, apiKeyId }: LimitedCaller,
    { rateLimitPerMinute, dailyLimit }: KeyLimits,
    points: number,
  ): Awaitable<LimitDecision> {
    const limit = rateLimitPerMinute ?? undefined;
    const perMinute = rateLimiter.consume(apiKeyId, points, limit, tenantId);
    if (dailyLimit === null) return perMinute;
    // A request that a limit per minute refuses does not count for the day.
    return whenReady(perMinute, (minute) =>
      minute.allowed
        ? whenReady(dailyLimiter.consume(apiKeyId, points, dailyLimit), (day) => both(minute, day))
        : minute,
    );
  }

  return {
    consume: (caller, points = 1) =>
      caller.limits === undefined
        ? rateLimiter.consume(caller.apiKeyId, points, undefined, caller.tenantId)
        : consumeOwn(caller, caller.limits, points),
  };
}

const both = (minute: LimitDecision, day: LimitDecision): LimitDecision => ({
  ...minute,
  allowed: day.allowed,
  retryAfterSeconds: day.retryAfterSeconds,
  day,
});
