import { RateLimiterRes } from 'rate-limiter-flexible';
import { createCounter, type LimiterOptions } from './counter.ts';
import { type LimitDecision, toDecision, UNLIMITED } from './limit-decision.ts';

export type { LimitDecision } from './limit-decision.ts';

/** Counts a request and says whether it may pass. Never rejects because Redis is away. */
export interface RateLimiter {
  consume(key: string): LimitDecision | Promise<LimitDecision>;
}

/** `limitPerMinute` 0 lets everything pass. */
export function createRateLimiter(options: LimiterOptions): RateLimiter {
  const limit = options.limitPerMinute;
  if (limit === 0) return { consume: () => UNLIMITED };
  const counter = createCounter({ keyPrefix: 'tool-gateway:rate', ...options });
  return {
    async consume(key) {
      try {
        const { remainingPoints, msBeforeNext } = await counter.consume(key);
        return toDecision(true, limit, remainingPoints, msBeforeNext);
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        return toDecision(false, limit, 0, refusal.msBeforeNext);
      }
    },
  };
}
