import { LRUCache } from 'lru-cache';
import { addressBlock } from './address-block.ts';
import { createCounter, type LimiterOptions } from './counter.ts';
import { type LimitDecision, toDecision } from './limit-decision.ts';

/** Bounds the memory that an attack from very many addresses can take. */
const MAX_BLOCKED = 10_000;

/** Slows down whoever tries API keys: too many failures from one address and it is refused for a while. */
export interface FailureLimiter {
  /** The refusal, or null for an address that may try. */
  isBlocked(address: string): LimitDecision | null;
  /** Resolves when the failure is counted; never rejects because Redis is away. */
  recordFailure(address: string): Promise<void>;
}

/**
 * `limitPerMinute` failures block an address until its window ends; 0 never blocks. IPv6 addresses count by their
 * /64, which one subscriber owns whole. With Redis failures are counted over all replicas, and a replica learns of a
 * block with the next failure it sees itself, so that the check, made for every request, needs no round trip.
 */
export function createFailureLimiter(options: LimiterOptions): FailureLimiter {
  const limit = options.limitPerMinute;
  if (limit === 0) return { isBlocked: () => null, recordFailure: () => Promise.resolve() };
  const counter = createCounter({ keyPrefix: 'tool-gateway:auth-failures', ...options });
  const blocked = new LRUCache<string, true>({ max: MAX_BLOCKED, ttl: 1 });

  return {
    isBlocked(address) {
      if (blocked.size === 0) return null;
      const msLeft = blocked.getRemainingTTL(addressBlock(address));
      return msLeft > 0 ? toDecision(false, limit, 0, msLeft) : null;
    },
    async recordFailure(address) {
      const block = addressBlock(address);
      const { consumedPoints, msBeforeNext } = await counter.penalty(block);
      if (consumedPoints >= limit) blocked.set(block, true, { ttl: Math.max(1, msBeforeNext) });
    },
  };
}
