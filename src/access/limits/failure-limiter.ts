import ipaddr from 'ipaddr.js';
import { canonicalAddress } from '../../platform/kernel/addresses.ts';
import { createLru } from '../../platform/kernel/memo.ts';
import { type LimitDecision, toDecision } from './limit-decision.ts';
import { createRateLimiter, type LimiterOptions } from './rate-limiter.ts';

/** Bounds the memory that an attack from many addresses can use. */
export const MAX_BLOCKED = 10_000;

/** Keys from one blocked address that are still looked up per second, so that a valid key among bad ones gets through. */
export const LOOK_UPS_OF_BLOCKED = 50;
/** The same for all blocked addresses together, so that many of them cannot keep the database busy. */
export const LOOK_UPS_OF_ALL_BLOCKED = 500;

export type FailureLimiter = ReturnType<typeof createFailureLimiter>;

/**
 * Slows down guessing of API keys: `limitPerMinute` failures block an address until its window ends; 0 never blocks. IPv6
 * addresses count by /64. With Redis, failures are counted across all replicas. A replica learns about a block with the
 * next failure that it sees itself, so that the check needs no round trip.
 */
export function createFailureLimiter({
  keyPrefix = 'tool-gateway:auth-failures',
  ...options
}: LimiterOptions) {
  const { limitPerMinute: limit } = options;
  const failures = createRateLimiter({ ...options, keyPrefix });
  const blocked = createLru<ReturnType<typeof createTokenBucket>>(MAX_BLOCKED, { ttl: 1 });
  const bucketOfAll = createTokenBucket(LOOK_UPS_OF_ALL_BLOCKED);

  return {
    /** The refusal for a blocked address; null for an address that is not blocked. */
    refusalFor(address: string): LimitDecision | null {
      if (blocked.size === 0) return null;
      const msLeft = blocked.getRemainingTTL(addressBlock(address));
      return msLeft > 0 ? toDecision(false, limit, 0, msLeft) : null;
    },
    /** Whether one more key from a blocked address may be looked up now. */
    mayLookUp: (address: string): boolean =>
      (blocked.get(addressBlock(address))?.take() ?? true) && bucketOfAll.take(),
    /** Resolves when the failure is counted. Never rejects because Redis is away. */
    async recordFailure(address: string): Promise<void> {
      const block = addressBlock(address);
      const { remaining, resetSeconds } = await failures.consume(block);
      if (limit === 0 || remaining > 0 || blocked.has(block)) return;
      const bucket = createTokenBucket(LOOK_UPS_OF_BLOCKED);
      blocked.set(block, bucket, { ttl: resetSeconds * 1000 });
    },
  };
}

/** Lets a fixed number pass per second, which may be a burst after a quiet period. */
function createTokenBucket(perSecond: number) {
  let tokens = perSecond;
  let filledMs = performance.now();
  return {
    /** Takes one token. Returns false when the bucket is empty. */
    take(): boolean {
      const nowMs = performance.now();
      tokens = Math.min(perSecond, tokens + ((nowMs - filledMs) / 1000) * perSecond);
      filledMs = nowMs;
      if (tokens < 1) return false;
      tokens--;
      return true;
    },
  };
}

/**
 * What counts as one source of requests: an IPv4 address, or the /64 of an IPv6 address, since one subscriber owns all
 * of it. Any other text is returned unchanged.
 */
export function addressBlock(address: string): string {
  const canonical = canonicalAddress(address);
  if (!canonical?.includes(':')) return canonical ?? address;
  const groups = ipaddr.IPv6.parse(canonical).parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}
