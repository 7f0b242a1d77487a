import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { RedisConnection } from '../../platform/redis/redis-connection.ts';
import { WINDOW_SECONDS } from './limit-decision.ts';

export interface LimiterOptions {
  /** 0 = no limit. */
  readonly limitPerMinute: number;
  /** Counts over all replicas; while it is away every replica counts for itself. */
  readonly redis?: Pick<RedisConnection, 'client'> | undefined;
  /** Of the keys in Redis; each limiter has its own. */
  readonly keyPrefix?: string;
}

/** Counts per key over all replicas, in windows of a minute. Rejects while Redis is away. */
export const createSharedCounter = (
  redis: Pick<RedisConnection, 'client'>,
  limitPerMinute: number,
  keyPrefix: string,
): RateLimiterRedis =>
  new RateLimiterRedis({
    points: limitPerMinute,
    duration: WINDOW_SECONDS,
    keyPrefix,
    storeClient: redis.client,
    // A connection that is down costs nothing: the local count is asked at once.
    rejectIfRedisNotReady: true,
    // A key over its limit is refused without asking Redis again until its window ends.
    inMemoryBlockOnConsumed: limitPerMinute + 1,
  });
