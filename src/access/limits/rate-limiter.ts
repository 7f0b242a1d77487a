import { RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisConnection } from '../../platform/redis/redis-connection.ts';
import { createSharedCounter, type LimiterOptions } from './counter.ts';
import { type LimitDecision, toDecision, UNLIMITED, WINDOW_SECONDS } from './limit-decision.ts';
import { createLocalCounter } from './local-counter.ts';

export type { LimitDecision } from './limit-decision.ts';

/** Counts requests and decides whether they may pass. Never rejects because Redis is away. */
export interface RateLimiter {
  /**
   * Counts the points (one by default) in one operation. They pass or are refused together. `limitPerMinute` is that of
   * this key; by default, it is the limiter's.
   */
  consume(
    key: string,
    points?: number,
    limitPerMinute?: number,
  ): LimitDecision | Promise<LimitDecision>;
}

/** `limitPerMinute` 0 lets everything pass, except for a key with a limit of its own. */
export function createRateLimiter(options: LimiterOptions): RateLimiter {
  const { limitPerMinute: common, redis, keyPrefix = 'tool-gateway:rate' } = options;
  const limiter = redis ? createSharedLimiter(redis, common, keyPrefix) : createLocalLimiter();
  return {
    consume: (key, points = 1, limit = common) =>
      limit === 0 ? UNLIMITED : limiter(key, points, limit),
  };
}

type Limiter<R> = (key: string, points: number, limit: number) => R;

/**
 * Without Redis the decision is synchronous. The library's own in-memory limiter returns a promise, and awaiting it
 * before a body is read would cost a tenth of a cached call.
 */
function createLocalLimiter(): Limiter<LimitDecision> {
  const counter = createLocalCounter();
  return (key, points, limit) => {
    const nowMs = performance.now();
    const { used, endMs } = counter.add(key, points, nowMs);
    // The sum that is `endMs` may have been rounded up.
    const leftMs = Math.min(endMs - nowMs, WINDOW_SECONDS * 1000);
    return toDecision(used <= limit, limit, Math.max(0, limit - used), leftMs);
  };
}

function createSharedLimiter(
  redis: Pick<RedisConnection, 'client'>,
  common: number,
  keyPrefix: string,
): Limiter<Promise<LimitDecision>> {
  const shared = createSharedCounter(redis, common, keyPrefix);
  const local = createLocalLimiter();
  return async (key, points, limit) => {
    try {
      // The library compares with one limit only. A penalty just counts.
      const count = limit === common ? shared.consume(key, points) : shared.penalty(key, points);
      const { consumedPoints, msBeforeNext } = await count;
      const remaining = Math.max(0, limit - consumedPoints);
      return toDecision(consumedPoints <= limit, limit, remaining, msBeforeNext);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) return local(key, points, limit);
      return toDecision(false, limit, 0, refusal.msBeforeNext);
    }
  };
}
