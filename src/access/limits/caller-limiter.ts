import { type Awaitable, whenReady } from '../../platform/kernel/awaitable.ts';
import type { Caller, KeyLimits } from '../../platform/kernel/caller.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { CountRefusal } from '../../platform/kernel/refusal.ts';
import type { SecurityLog } from '../trail/security-log.ts';
import type { DailyLimiter } from './daily-limiter.ts';
import { type LimitDecision, nameOfLimit, reasonOf } from './limit-decision.ts';
import type { RateLimiter } from './rate-limiter.ts';

export type LimitedCaller = Pick<Caller, 'tenantId' | 'apiKeyId' | 'limits'>;

export type CallerLimiter = ReturnType<typeof createCallerLimiter>;

/**
 * Applies the limits of a caller: the gateway's or its key's, and its tenant's. A key without limits of its
 * own, as most are, costs one comparison more than the rate limiter alone.
 */
export function createCallerLimiter({
  rateLimiter,
  dailyLimiter,
}: {
  readonly rateLimiter: RateLimiter;
  readonly dailyLimiter: Pick<DailyLimiter, 'consume'>;
}) {
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
    /** Counts the points (one by default). They pass or are refused together. Never rejects. */
    consume: (caller: LimitedCaller, points = 1): Awaitable<LimitDecision> =>
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

export interface ChargeDeps {
  readonly limiter: CallerLimiter;
  readonly securityLog: Pick<SecurityLog, 'record'>;
  readonly refused: CountRefusal;
}

/**
 * Charges a caller for the further entries of a batch, or for a large body. Rejects with `rate_limited` when they exceed
 * a limit of its key or its tenant.
 */
export async function chargeBatch(
  { limiter, securityLog, refused }: ChargeDeps,
  caller: LimitedCaller,
  entries: number,
): Promise<void> {
  if (entries === 0) return;
  const decision = await limiter.consume(caller, entries);
  if (decision.allowed) return;
  const { apiKeyId } = caller;
  refused(caller, reasonOf(decision));
  securityLog.record('rate_limited', { apiKeyId }, apiKeyId);
  throw new GatewayError(
    'rate_limited',
    `This request counts as several, because of its size or because it is a batch, and exceeds the ${nameOfLimit(decision)}.`,
    { details: { retryAfterSeconds: decision.retryAfterSeconds } },
  );
}
