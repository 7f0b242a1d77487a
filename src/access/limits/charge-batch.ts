import { GatewayError } from '../../platform/kernel/error.ts';
import type { SecurityLog } from '../trail/security-log.ts';
import type { RateLimiter } from './rate-limiter.ts';

export interface ChargeDeps {
  readonly rateLimiter: RateLimiter;
  readonly securityLog: Pick<SecurityLog, 'record'>;
}

/**
 * Takes the further entries of a batch, or what a large body costs, off a key's limit. Rejects with `rate_limited` when
 * they do not fit.
 */
export async function chargeBatch(
  { rateLimiter, securityLog }: ChargeDeps,
  apiKeyId: string,
  entries: number,
): Promise<void> {
  if (entries === 0) return;
  const { allowed, retryAfterSeconds } = await rateLimiter.consume(apiKeyId, entries);
  if (allowed) return;
  securityLog.record('rate_limited', { apiKeyId }, apiKeyId);
  throw new GatewayError(
    'rate_limited',
    'This request counts as several, for its size or as a batch, and exceeds the rate limit of this API key.',
    { details: { retryAfterSeconds } },
  );
}
