import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import { createLru } from '../../platform/kernel/lru.ts';
import type { RedisConnection } from '../../platform/redis/redis-connection.ts';
import { type LimitDecision, toDecision, UNLIMITED, WINDOW_SECONDS } from './limit-decision.ts';
import { createLocalCounter, MAX_WINDOWS, type Window } from './local-counter.ts';

export type { LimitDecision } from './limit-decision.ts';

/** Counts requests and decides whether they may pass. Never rejects because Redis is away. */
export interface RateLimiter {
  /**
   * Counts the points (one by default) in one operation. They pass or are refused together. `limitPerMinute` is that of
   * this key; by default, it is the limiter's. With a tenant, the points must also fit its limit: what that refuses does
   * not count for the key, and what the limit of the key refuses does not count for the tenant.
   */
  consume(
    key: string,
    points?: number,
    limitPerMinute?: number,
    tenantId?: string,
  ): Awaitable<LimitDecision>;
}

export interface LimiterOptions {
  /** 0 = no limit. */
  readonly limitPerMinute: number;
  /** Counts across all replicas. While it is away, every replica counts by itself. */
  readonly redis?: Pick<RedisConnection, 'client'> | undefined;
  /** Prefix of the keys in Redis; each limiter has its own. */
  readonly keyPrefix?: string;
}

export interface RateLimiterOptions extends LimiterOptions {
  /** Of all keys of a tenant together; 0 = no limit. */
  readonly tenantLimitPerMinute?: number;
}

/** `limitPerMinute` 0 lets everything pass, except for a key with a limit of its own, or of a tenant with a limit. */
export function createRateLimiter({
  limitPerMinute: common,
  tenantLimitPerMinute = 0,
  redis,
  keyPrefix = 'tool-gateway:rate',
}: RateLimiterOptions): RateLimiter {
  const charge = redis ? createSharedCharge(redis, keyPrefix) : createLocalCharge();
  return {
    consume: (key, points = 1, limit = common, tenantId = '') => {
      const tenantLimit = tenantId === '' ? 0 : tenantLimitPerMinute;
      if (limit === 0 && tenantLimit === 0) return UNLIMITED;
      return charge({ key, limit, tenantId, tenantLimit }, points);
    },
  };
}

/** The windows to charge. A limit of 0 is none. */
interface Windows {
  readonly key: string;
  readonly limit: number;
  readonly tenantId: string;
  readonly tenantLimit: number;
}

type Charge<R> = (windows: Windows, points: number) => R;

/** The points of a window, including those that were asked for, and the time until it ends. */
interface Count {
  readonly used: number;
  readonly leftMs: number;
}

/** The decision of the limit with fewer requests left. One that refuses comes alone. */
function decide(
  { limit, tenantLimit }: Windows,
  ofKey: Count | null,
  ofTenant: Count | null,
): LimitDecision {
  const left = ofKey === null ? Number.POSITIVE_INFINITY : limit - ofKey.used;
  if (ofTenant === null || left <= tenantLimit - ofTenant.used) {
    return toDecision(left >= 0, limit, Math.max(0, left), ofKey?.leftMs ?? 0);
  }
  const leftOfTenant = tenantLimit - ofTenant.used;
  const remaining = Math.max(0, leftOfTenant);
  const decision = toDecision(leftOfTenant >= 0, tenantLimit, remaining, ofTenant.leftMs);
  return { ...decision, isTenants: true };
}

/**
 * Without Redis the decision is synchronous. Awaiting the promise of a limiter before a body is read would cost a tenth of
 * a cached call.
 */
function createLocalCharge(): Charge<LimitDecision> {
  const counter = createLocalCounter();
  return (windows, points) => {
    const { key, limit, tenantId, tenantLimit } = windows;
    const nowMs = performance.now();
    const tenant = tenantLimit > 0 ? counter.add(tenantId, points, nowMs) : null;
    const ofTenant = tenant && countOf(tenant, nowMs);
    if (tenant !== null && tenant.used > tenantLimit) {
      tenant.used -= points;
      return decide(windows, null, ofTenant);
    }
    const ofKey = limit > 0 ? countOf(counter.add(key, points, nowMs), nowMs) : null;
    if (ofKey === null || ofKey.used <= limit) return decide(windows, ofKey, ofTenant);
    if (tenant !== null) tenant.used -= points;
    return decide(windows, ofKey, null);
  };
}

const countOf = ({ used, endMs }: Window, nowMs: number): Count => ({
  used,
  // The sum that is `endMs` may have been rounded up.
  leftMs: Math.min(endMs - nowMs, WINDOW_SECONDS * 1000),
});

/**
 * Does the same in Redis. One script charges both windows in one round trip; with a command for each, what one limit
 * refuses would count for the other. ARGV: points, seconds of a window, limits of the key and of the tenant. Returns the
 * points and milliseconds of both windows, and nil for one that is not charged.
 */
const CHARGE = `
local points = ARGV[1]
local limit, tenant_limit = tonumber(ARGV[3]), tonumber(ARGV[4])
local function charge(window)
  redis.call('set', window, 0, 'EX', ARGV[2], 'NX')
  local used = redis.call('incrby', window, points)
  local left = redis.call('pttl', window)
  if left < 0 then
    redis.call('expire', window, ARGV[2])
    left = 1000 * ARGV[2]
  end
  return {used, left}
end
local tenant = tenant_limit > 0 and charge(KEYS[2])
if tenant and tenant[1] > tenant_limit then
  redis.call('decrby', KEYS[2], points)
  return {false, tenant}
end
local key = limit > 0 and charge(KEYS[1])
if key and key[1] > limit then
  if tenant then redis.call('decrby', KEYS[2], points) end
  return {key, false}
end
return {key, tenant}
`;

type Reply = readonly [used: number, leftMs: number] | null;

/** Redis with the script. */
interface ChargingClient {
  chargeWindows(...args: (string | number)[]): Promise<readonly [key: Reply, tenant: Reply]>;
}

function createSharedCharge(
  { client }: Pick<RedisConnection, 'client'>,
  keyPrefix: string,
): Charge<Awaitable<LimitDecision>> {
  client.defineCommand('chargeWindows', { numberOfKeys: 2, lua: CHARGE });
  const redis = client as unknown as ChargingClient;
  const local = createLocalCharge();
  const full = createFullWindows();

  async function charge(windows: Windows, points: number): Promise<LimitDecision> {
    const { key, limit, tenantId, tenantLimit } = windows;
    const names = [`${keyPrefix}:${key}`, `${keyPrefix}:${tenantId}`];
    const args = [points, WINDOW_SECONDS, limit, tenantLimit];
    const [ofKey, ofTenant] = (await redis.chargeWindows(...names, ...args)).map(toCount);
    const decision = decide(windows, ofKey ?? null, ofTenant ?? null);
    if (decision.allowed) return decision;
    if (ofKey) full.add(key, ofKey.used, ofKey.leftMs);
    if (ofTenant) full.add(tenantId, ofTenant.used - points, ofTenant.leftMs);
    return decision;
  }

  return (windows, points) =>
    full.refusalOf(windows, points) ??
    // While the connection is down, no command is tried.
    (client.status === 'ready'
      ? charge(windows, points).catch(() => local(windows, points))
      : local(windows, points));
}

const toCount = (reply: Reply): Count | null => reply && { used: reply[0], leftMs: reply[1] };

/** The windows that refused here: until they end, what they cannot admit is refused without a request to Redis. */
function createFullWindows() {
  const full = createLru<Window>(MAX_WINDOWS);
  /** The count of a window that cannot admit the points. */
  function find(name: string, limit: number, points: number): Count | null {
    const window = limit > 0 ? full.get(name) : undefined;
    if (window === undefined || window.used + points <= limit) return null;
    const leftMs = window.endMs - performance.now();
    return leftMs > 0 ? { used: window.used + points, leftMs } : null;
  }
  return {
    add(name: string, used: number, leftMs: number): void {
      full.set(name, { used, endMs: performance.now() + leftMs });
    },
    refusalOf(windows: Windows, points: number): LimitDecision | undefined {
      if (full.size === 0) return undefined;
      const ofTenant = find(windows.tenantId, windows.tenantLimit, points);
      if (ofTenant !== null) return decide(windows, null, ofTenant);
      const ofKey = find(windows.key, windows.limit, points);
      return ofKey === null ? undefined : decide(windows, ofKey, null);
    },
  };
}
