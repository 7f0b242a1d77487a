import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { RedisConnection } from '../../platform/redis/redis-connection.ts';
import { WINDOW_SECONDS } from './limit-decision.ts';

export interface LimiterOptions {
  /** 0 = no limit. */
  readonly limitPerMinute: number;
  /** Counts across all replicas. While it is away, every replica counts by itself. */
  readonly redis?: Pick<RedisConnection, 'client'> | undefined;
  /** Prefix of the keys in Redis; each limiter has its own. */
  readonly keyPrefix?: string;
}

/** Counts per key across all replicas, in windows of one minute. Rejects while Redis is away. */
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
    // While the connection is down, fails at once, so that the local counter is used without a delay.
    rejectIfRedisNotReady: true,
    // A key over its limit is refused without another request to Redis until its window ends.
    inMemoryBlockOnConsumed: limitPerMinute + 1,
  });
