import { LRUCache } from 'lru-cache';
import { addressBlock } from './address-block.ts';
import { createSharedCounter, type LimiterOptions } from './counter.ts';
import { type LimitDecision, toDecision } from './limit-decision.ts';
import { createLocalCounter } from './local-counter.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

/** Bounds the memory that an attack from very many addresses can take. */
export const MAX_BLOCKED = 10_000;

/** Keys of one blocked address that are still looked up, a second: a good key among bad ones must find its way. */
export const LOOK_UPS_OF_BLOCKED = 50;
/** The same of all blocked addresses together, so that many of them cannot busy the database. */
export const LOOK_UPS_OF_ALL_BLOCKED = 500;

/** Slows down whoever tries API keys: after too many failures from one address, further ones are refused for a while. */
export interface FailureLimiter {
  /** What a failure is refused with; null for an address that has not failed too often. */
  isBlocked(address: string): LimitDecision | null;
  /** Whether one more key from a blocked address may be looked up now. */
  mayLookUp(address: string): boolean;
  /** Resolves when the failure is counted; never rejects because Redis is away. */
  recordFailure(address: string): Promise<void>;
}

const LENIENT: FailureLimiter = {
  isBlocked: () => null,
  mayLookUp: () => true,
  recordFailure: () => Promise.resolve(),
};

/**
 * `limitPerMinute` failures block an address until its window ends; 0 never blocks. IPv6 addresses count by their
 * /64, which one subscriber owns whole. With Redis failures are counted over all replicas, and a replica learns of a
 * block with the next failure it sees itself, so that the check needs no round trip.
 */
export function createFailureLimiter(options: LimiterOptions): FailureLimiter {
  const limit = options.limitPerMinute;
  if (limit === 0) return LENIENT;
  const count = createFailureCount(options);
  const blocked = new LRUCache<string, TokenBucket>({ max: MAX_BLOCKED, ttl: 1 });
  const ofAll = createTokenBucket(LOOK_UPS_OF_ALL_BLOCKED, LOOK_UPS_OF_ALL_BLOCKED);

  return {
    isBlocked(address) {
      if (blocked.size === 0) return null;
      const msLeft = blocked.getRemainingTTL(addressBlock(address));
      return msLeft > 0 ? toDecision(false, limit, 0, msLeft) : null;
    },
    mayLookUp: (address) => (blocked.get(addressBlock(address))?.take() ?? true) && ofAll.take(),
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
  const countHere: CountFailure = async (block) => {
    const nowMs = performance.now();
    const { used, endMs } = local.add(block, 1, nowMs);
    return { used, msLeft: endMs - nowMs };
  };
  if (!redis) return countHere;
  const shared = createSharedCounter(redis, limitPerMinute, keyPrefix);
  return async (block) => {
    try {
      const { consumedPoints, msBeforeNext } = await shared.penalty(block);
      return { used: consumedPoints, msLeft: msBeforeNext };
    } catch {
      return countHere(block);
    }
  };
}
