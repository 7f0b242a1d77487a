import type { Settings } from '../../platform/config/settings.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { ApiKeyRecord } from './api-key-record.ts';
import type { GivenLimit, KeyChange } from './key-columns.ts';

/** The limits per minute that apply to all keys. */
export interface RateLimits {
  /** Of a key without one of its own, and the most that a tenant's admin may give a key; 0 = no limit. */
  readonly keyPerMinute: number;
  /** Of all keys of a tenant together; 0 = no limit. */
  readonly tenantPerMinute: number;
}

export const rateLimitsOf = ({
  RATE_LIMIT_PER_MINUTE: keyPerMinute,
  TENANT_RATE_LIMIT_PER_MINUTE: tenantPerMinute = 10 * keyPerMinute,
}: Pick<Settings, 'RATE_LIMIT_PER_MINUTE' | 'TENANT_RATE_LIMIT_PER_MINUTE'>): RateLimits => ({
  keyPerMinute,
  tenantPerMinute,
});

/** Who gives limits to keys: by default, the admin of a tenant. */
export interface LimitGiver {
  /** Whether the actor is an operator, who may give any limit. */
  readonly isOperator?: boolean;
  /** The most that the admin of a tenant may give a key, unless an operator gave it more; 0 or undefined = any. */
  readonly rateLimitCap?: number;
}

type OwnLimit = Pick<ApiKeyRecord, 'rateLimitPerMinute' | 'operatorRateLimit'>;

/** Null = the gateway's setting. */
export const cappedRateLimit = (
  { rateLimitPerMinute: limit, operatorRateLimit }: OwnLimit,
  cap: number,
): number | null =>
  limit === null || cap === 0 ? limit : Math.min(limit, Math.max(cap, operatorRateLimit ?? 0));

/** What a key may send in a minute at most; null = no limit. */
export function effectiveRateLimit(key: OwnLimit, limits: RateLimits): number | null {
  const own = cappedRateLimit(key, limits.keyPerMinute) ?? limits.keyPerMinute;
  const least = Math.min(
    own || Number.POSITIVE_INFINITY,
    limits.tenantPerMinute || Number.POSITIVE_INFINITY,
  );
  return least === Number.POSITIVE_INFINITY ? null : least;
}

/** What to store with a chosen limit. Throws `invalid_arguments` if the actor may not give as much. */
export function giveRateLimit(
  { isOperator = false, rateLimitCap = 0 }: LimitGiver,
  { rateLimitPerMinute: limit }: KeyChange,
  before?: OwnLimit,
): GivenLimit {
  if (limit === undefined) return {};
  if (isOperator) return { operatorRateLimit: limit };
  const most = Math.max(rateLimitCap, before?.operatorRateLimit ?? 0);
  const isAllowed = rateLimitCap === 0 || limit === null || limit <= most;
  // A form sends what it was given, also a limit that is capped.
  if (isAllowed || limit === before?.rateLimitPerMinute) return {};
  throw new GatewayError(
    'invalid_arguments',
    `The admins of a tenant may give this API key at most ${most.toLocaleString('en')} requests per minute. Choose a lower limit, or ask an operator of the gateway, who may give more.`,
  );
}
