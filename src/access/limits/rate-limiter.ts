import { RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisConnection } from '../../platform/redis/redis-connection.ts';
import { createSharedCounter, type LimiterOptions } from './counter.ts';
import { type LimitDecision, toDecision, UNLIMITED } from './limit-decision.ts';
import { createLocalCounter } from './local-counter.ts';

export type { LimitDecision } from './limit-decision.ts';

/** Counts requests and says whether they may pass. Never rejects because Redis is away. */
export interface RateLimiter {
  /** Counts so many points, one unless said otherwise, in one operation; they pass or are refused together. */
  consume(key: string, points?: number): LimitDecision | Promise<LimitDecision>;
}

/** `limitPerMinute` 0 lets everything pass. */
export function createRateLimiter(options: LimiterOptions): RateLimiter {
  const { limitPerMinute: limit, redis, keyPrefix = 'tool-gateway:rate' } = options;
  if (limit === 0) return { consume: () => UNLIMITED };
  return redis ? createSharedLimiter(redis, limit, keyPrefix) : createLocalLimiter(limit);
}

/**
 * Without Redis the count is at hand. The library's own only comes with a promise, and an answer that has to be waited
 * for before a body is read costs a tenth of a cached call.
 */
function createLocalLimiter(limit: number) {
  const counter = createLocalCounter();
  return {
    consume(key: string, points = 1): LimitDecision {
      const nowMs = performance.now();
      const { used, endMs } = counter.add(key, points, nowMs);
      return toDecision(used <= limit, limit, Math.max(0, limit - used), endMs - nowMs);
    },
  };
}

function createSharedLimiter(
  redis: Pick<RedisConnection, 'client'>,
  limit: number,
  keyPrefix: string,
): RateLimiter {
  const shared = createSharedCounter(redis, limit, keyPrefix);
  const local = createLocalLimiter(limit);
  return {
    async consume(key, points = 1) {
      try {
        const { remainingPoints, msBeforeNext } = await shared.consume(key, points);
        return toDecision(true, limit, remainingPoints, msBeforeNext);
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) return local.consume(key, points);
        return toDecision(false, limit, 0, refusal.msBeforeNext);
      }
    },
  };
}
