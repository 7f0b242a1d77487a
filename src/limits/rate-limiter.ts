import { LRUCache } from 'lru-cache';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { createCounter, type LimiterOptions } from './counter.ts';
import { type LimitDecision, toDecision, UNLIMITED, WINDOW_SECONDS } from './limit-decision.ts';

export type { LimitDecision } from './limit-decision.ts';

/** Counts a request and says whether it may pass. Never rejects because Redis is away. */
export interface RateLimiter {
  consume(key: string): LimitDecision | Promise<LimitDecision>;
}

/** `limitPerMinute` 0 lets everything pass. */
export function createRateLimiter(options: LimiterOptions): RateLimiter {
  const limit = options.limitPerMinute;
  if (limit === 0) return { consume: () => UNLIMITED };
  return options.redis ? createSharedLimiter(options) : createLocalLimiter(limit);
}

/** Bounds the memory; a key that is forgotten begins a new window. */
const MAX_WINDOWS = 100_000;

interface Window {
  used: number;
  readonly endMs: number;
}

/**
 * Without Redis the count is at hand. The library's own only comes with a promise, and an answer that has to be waited
 * for before a body is read costs a tenth of a cached call.
 */
function createLocalLimiter(limit: number): RateLimiter {
  const windows = new LRUCache<string, Window>({ max: MAX_WINDOWS });
  return {
    consume(key) {
      const nowMs = performance.now();
      let window = windows.get(key);
      if (!window || window.endMs <= nowMs) {
        window = { used: 0, endMs: nowMs + WINDOW_SECONDS * 1000 };
        windows.set(key, window);
      }
      const allowed = window.used < limit;
      if (allowed) window.used++;
      return toDecision(allowed, limit, limit - window.used, window.endMs - nowMs);
    },
  };
}

function createSharedLimiter(options: LimiterOptions): RateLimiter {
  const limit = options.limitPerMinute;
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
