import { RateLimiterRedis } from 'rate-limiter-flexible';
import { createLru } from '../../platform/kernel/lru.ts';
import { addressBlock } from './address-block.ts';
import { type LimitDecision, toDecision, WINDOW_SECONDS } from './limit-decision.ts';
import { createLocalCounter } from './local-counter.ts';
import type { LimiterOptions } from './rate-limiter.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

/** Bounds the memory that an attack from many addresses can use. */
export const MAX_BLOCKED = 10_000;

/** Keys from one blocked address that are still looked up per second, so that a valid key among bad ones gets through. */
export const LOOK_UPS_OF_BLOCKED = 50;
/** The same for all blocked addresses together, so that many of them cannot keep the database busy. */
export const LOOK_UPS_OF_ALL_BLOCKED = 500;

/** Slows down guessing of API keys: after too many failures from one address, further ones are refused for a while. */
export interface FailureLimiter {
  /** The refusal for a blocked address; null for an address that is not blocked. */
  refusalFor(address: string): LimitDecision | null;
  /** Whether one more key from a blocked address may be looked up now. */
  mayLookUp(address: string): boolean;
  /** Resolves when the failure is counted. Never rejects because Redis is away. */
  recordFailure(address: string): Promise<void>;
}

const DISABLED: FailureLimiter = {
  refusalFor: () => null,
  mayLookUp: () => true,
  recordFailure: () => Promise.resolve(),
};

/**
 * `limitPerMinute` failures block an address until its window ends; 0 never blocks. IPv6 addresses count by /64. With
 * Redis, failures are counted across all replicas. A replica learns about a block with the next failure that it sees
 * itself, so that the check needs no round trip.
 */
export function createFailureLimiter(options: LimiterOptions): FailureLimiter {
  const limit = options.limitPerMinute;
  if (limit === 0) return DISABLED;
  const count = createFailureCount(options);
  const blocked = createLru<TokenBucket>(MAX_BLOCKED, { ttl: 1 });
  const bucketOfAll = createTokenBucket(LOOK_UPS_OF_ALL_BLOCKED, LOOK_UPS_OF_ALL_BLOCKED);

  return {
    refusalFor(address) {
      if (blocked.size === 0) return null;
      const msLeft = blocked.getRemainingTTL(addressBlock(address));
      return msLeft > 0 ? toDecision(false, limit, 0, msLeft) : null;
    },
    mayLookUp: (address) =>
      (blocked.get(addressBlock(address))?.take() ?? true) && bucketOfAll.take(),
    async recordFailure(address) {
      const block = addressBlock(address);
      const { used, msLeft } = await count(block);
      if (used < limit || blocked.has(block)) return;
      const bucket = createTokenBucket(LOOK_UPS_OF_BLOCKED, LOOK_UPS_OF_BLOCKED);
      blocked.set(block, bucket, { ttl: Math.max(1, msLeft) });
    },
  };
}

type CountFailure = (block: string) => Promise<{ used: number; msLeft: number }>;

function createFailureCount(options: LimiterOptions): CountFailure {
  const { limitPerMinute, redis, keyPrefix = 'tool-gateway:auth-failures' } = options;
  const local = createLocalCounter();
  const countLocally: CountFailure = async (block) => {
    const nowMs = performance.now();
    const { used, endMs } = local.add(block, 1, nowMs);
    return { used, msLeft: endMs - nowMs };
  };
  if (!redis) return countLocally;
  const shared = new RateLimiterRedis({
    points: limitPerMinute,
    duration: WINDOW_SECONDS,
    keyPrefix,
    storeClient: redis.client,
    // While the connection is down, fails at once, so that the local counter is used without a delay.
    rejectIfRedisNotReady: true,
  });
  return async (block) => {
    try {
      const { consumedPoints, msBeforeNext } = await shared.penalty(block);
      return { used: consumedPoints, msLeft: msBeforeNext };
    } catch {
      return countLocally(block);
    }
  };
}
