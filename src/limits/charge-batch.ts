import { GatewayError } from '../kernel/error.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Takes the further entries of a batch off a key's limit. Rejects with `rate_limited` when they do not fit. */
export async function chargeBatch(
  rateLimiter: RateLimiter,
  apiKeyId: string,
  entries: number,
): Promise<void> {
  for (let i = 0; i < entries; i++) {
    const { allowed, retryAfterSeconds } = await rateLimiter.consume(apiKeyId);
    if (allowed) continue;
    throw new GatewayError('rate_limited', 'The batch exceeds the rate limit of this API key.', {
      details: { retryAfterSeconds },
    });
  }
}
