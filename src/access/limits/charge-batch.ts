import { GatewayError } from '../../platform/kernel/error.ts';
import type { SecurityLog } from '../trail/security-log.ts';
import type { CallerLimiter, LimitedCaller } from './caller-limiter.ts';
import { nameOfLimit } from './limit-decision.ts';

export interface ChargeDeps {
  readonly limiter: CallerLimiter;
  readonly securityLog: Pick<SecurityLog, 'record'>;
}

/**
 * Charges a caller for the further entries of a batch, or for a large body. Rejects with `rate_limited` when they exceed
 * a limit of its key or its tenant.
 */
export async function chargeBatch(
  { limiter, securityLog }: ChargeDeps,
  caller: LimitedCaller,
  entries: number,
): Promise<void> {
  if (entries === 0) return;
  const decision = await limiter.consume(caller, entries);
  if (decision.allowed) return;
  const { apiKeyId } = caller;
  securityLog.record('rate_limited', { apiKeyId }, apiKeyId);
  throw new GatewayError(
    'rate_limited',
    `This request counts as several, because of its size or because it is a batch, and exceeds the ${nameOfLimit(decision)}.`,
    { details: { retryAfterSeconds: decision.retryAfterSeconds } },
  );
}
