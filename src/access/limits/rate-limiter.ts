import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { createLru } from '../../platform/kernel/lru.ts';
import type { RedisConnection } from '../../platform/redis/redis-connection.ts';
import { createLeasedCharge } from './leased-charge.ts';
import {
  type ChargeRequest,
  type Count,
  decide,
  type LimitDecision,
  MAX_WINDOWS,
  UNLIMITED,
  WINDOW_SECONDS,
} from './limit-decision.ts';

export interface LimiterOptions {
  /** 0 = no limit. */
  readonly limitPerMinute: number;
  /** Counts across all replicas. While it is away, every replica admits its part of the limit. */
  readonly redis?: Pick<RedisConnection, 'client'> | undefined;
  /** Prefix of the keys in Redis; each limiter has its own. */
  readonly keyPrefix?: string;
  /** How many processes share the limit through Redis; 1 by default. */
  readonly replicas?: () => number;
}

export interface RateLimiterOptions extends LimiterOptions {
  /** Of all keys of a tenant together; 0 = no limit. */
  readonly tenantLimitPerMinute?: number;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Counts a request of a source that has no API key. Rejects with `rate_limited`. */
export async function chargeSource(rateLimiter: RateLimiter, source: string): Promise<void> {
  const { allowed, retryAfterSeconds } = await rateLimiter.consume(source);
  if (allowed) return;
  throw new GatewayError('rate_limited', `Too many requests. Retry in ${retryAfterSeconds} s.`, {
    details: { retryAfterSeconds },
  });
}

/**
 * Counts requests and decides whether they may pass. `limitPerMinute` 0 lets everything pass, except for a key with a limit
 * of its own, or of a tenant with a limit.
 */
export function createRateLimiter({
  limitPerMinute: common,
  tenantLimitPerMinute = 0,
  redis,
  keyPrefix = 'tool-gateway:rate',
  replicas = () => 1,
}: RateLimiterOptions) {
  const charge: (request: ChargeRequest) => Awaitable<LimitDecision> = redis
    ? createLeasedCharge({ redis, keyPrefix, replicas })
    : createLocalCharge();
  return {
    /**
     * Counts the points in one operation. They pass or are refused together. `limit` is that of this key. With a tenant, the
     * points must also fit its limit: what that refuses does not count for the key, and what the limit of the key refuses
     * does not count for the tenant. Never rejects because Redis is away.
     */
    consume: (key: string, points = 1, limit = common, tenantId = ''): Awaitable<LimitDecision> => {
      const tenantLimit = tenantId === '' ? 0 : tenantLimitPerMinute;
      if (limit === 0 && tenantLimit === 0) return UNLIMITED;
      return charge({ key, limit, tenantId, tenantLimit, points });
    },
  };
}

interface Window {
  used: number;
  /** On the monotonic clock, like `performance.now()`. */
  readonly endMs: number;
}

/** Counts per key in this process, in one-minute windows that start with the first count of the key. */
export function createLocalCounter() {
  const windows = createLru<Window>(MAX_WINDOWS);
  return {
    /** Adds the points and returns the window in which they count. */
    add(key: string, points: number, nowMs: number): Window {
      let window = windows.get(key);
      if (!window || window.endMs <= nowMs) {
        window = { used: 0, endMs: nowMs + WINDOW_SECONDS * 1000 };
        windows.set(key, window);
      }
      window.used += points;
      return window;
    },
  };
}

/**
 * Without Redis the decision is synchronous. Awaiting the promise of a limiter before a body is read would cost a tenth of
 * a cached call.
 */
function createLocalCharge(): (request: ChargeRequest) => LimitDecision {
  const counter = createLocalCounter();
  return (request) => {
    const { key, limit, tenantId, tenantLimit, points } = request;
    const nowMs = performance.now();
    const tenant = tenantLimit > 0 ? counter.add(tenantId, points, nowMs) : null;
    const ofTenant = tenant && countOf(tenant, nowMs);
    if (tenant !== null && tenant.used > tenantLimit) {
      tenant.used -= points;
      return decide(request, null, ofTenant);
    }
    const window = limit > 0 ? counter.add(key, points, nowMs) : null;
    const ofKey = window && countOf(window, nowMs);
    if (window === null || window.used <= limit) return decide(request, ofKey, ofTenant);
    window.used -= points;
    if (tenant !== null) tenant.used -= points;
    return decide(request, ofKey, null);
  };
}

const countOf = ({ used, endMs }: Window, nowMs: number): Count => ({
  used,
  // The sum that is `endMs` may have been rounded up.
  leftMs: Math.min(endMs - nowMs, WINDOW_SECONDS * 1000),
});
