import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import {
  createCounter,
  leftOf,
  newTally,
  type Report,
  type Standing,
  type SyncTallies,
  type Tally,
} from '../../platform/kernel/counter.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { createLru } from '../../platform/kernel/memo.ts';
import type { RedisConnection } from '../../platform/redis/redis-connection.ts';
import {
  type LimitDecision,
  MAX_WINDOWS,
  toDecision,
  UNLIMITED,
  WINDOW_SECONDS,
} from './limit-decision.ts';

export interface LimiterOptions {
  /** 0 = no limit. */
  readonly limitPerMinute: number;
  /** Counts across all replicas. While it is away, every replica admits its part of the limit. */
  readonly redis?: Pick<RedisConnection, 'client'> | undefined;
  /** Prefix of the keys in Redis; each limiter has its own. */
  readonly keyPrefix?: string;
  /** How many processes share the limit through Redis; 1 by default. */
  readonly replicas?: () => number;
}

export interface RateLimiterOptions extends LimiterOptions {
  /** Of all keys of a tenant together; 0 = no limit. */
  readonly tenantLimitPerMinute?: number;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Counts a request of a source that has no API key. Rejects with `rate_limited`. */
export async function chargeSource(rateLimiter: RateLimiter, source: string): Promise<void> {
  const { allowed, retryAfterSeconds } = await rateLimiter.consume(source);
  if (allowed) return;
  throw new GatewayError('rate_limited', `Too many requests. Retry in ${retryAfterSeconds} s.`, {
    details: { retryAfterSeconds },
  });
}

/**
 * Counts requests and decides whether they may pass, in one-minute windows that start with the first request of a key. `limitPerMinute`
 * 0 lets everything pass, except for a key with a limit of its own, or of a tenant with a limit.
 */
export function createRateLimiter({
  limitPerMinute: common,
  tenantLimitPerMinute = 0,
  redis,
  keyPrefix = 'tool-gateway:rate',
  replicas = () => 1,
}: RateLimiterOptions) {
  const windows = createLru<Window>(MAX_WINDOWS);
  const counter = createCounter({
    sync: redis && createSyncWindows({ redis, keyPrefix, windowMs: WINDOW_MS }),
    replicas,
    intervalMs: SYNC_MS,
    now: () => performance.now(),
  });

  function open(name: string, limit: number, nowMs: number): Window | null {
    if (limit === 0) return null;
    const window = windows.get(name);
    if (window === undefined || window.endMs <= nowMs) {
      const begun = newTally(name, limit, nowMs + WINDOW_MS);
      windows.set(name, begun);
      return begun;
    }
    if (window.limit !== limit) Object.assign(window, { limit, slack: limit });
    return window;
  }

  return {
    /**
     * Counts the points in one operation. They pass or are refused together. `limit` is this key's. With a tenant, the
     * points must also fit its limit: what that refuses does not count for the key, and what the limit of the key refuses
     * does not count for the tenant. Never rejects because Redis is away.
     *
     * Without Redis the decision is synchronous. Awaiting a promise before a body is read would cost a tenth of a cached
     * call.
     */
    consume: (key: string, points = 1, limit = common, tenantId = ''): Awaitable<LimitDecision> => {
      const tenantLimit = tenantId === '' ? 0 : tenantLimitPerMinute;
      if (limit === 0 && tenantLimit === 0) return UNLIMITED;
      const nowMs = performance.now();
      const tenant = open(tenantId, tenantLimit, nowMs);
      const window = open(key, limit, nowMs);
      const refused = counter.take(tenant, window, points);
      return refused instanceof Promise
        ? decideLater(tenant, window, refused)
        : decisionOf(tenant, window, refused);
    },
  };
}

const WINDOW_MS = WINDOW_SECONDS * 1000;

/** How often a process tells Redis what it has counted. */
const SYNC_MS = 100;

type Window = ReturnType<typeof newTally>;

const decideLater = async (
  tenant: Window | null,
  key: Window | null,
  refused: Promise<Tally | null>,
): Promise<LimitDecision> => decisionOf(tenant, key, await refused);

/** The decision of the limit that refuses, or that has fewer requests left. */
function decisionOf(
  tenant: Window | null,
  key: Window | null,
  refused: Tally | null,
): LimitDecision {
  const isTenants = refused === null ? hasLess(tenant, key) : refused === tenant;
  const shown = isTenants ? tenant : key;
  if (shown === null) return UNLIMITED;
  const remaining = refused === null ? Math.max(0, leftOf(shown)) : 0;
  // The sum that is `endMs` may have been rounded up.
  const leftMs = Math.min(shown.endMs - performance.now(), WINDOW_MS);
  const decision = toDecision(refused === null, shown.limit, remaining, leftMs);
  return isTenants ? { ...decision, isTenants } : decision;
}

const hasLess = (tenant: Window | null, key: Window | null): tenant is Window =>
  tenant !== null && (key === null || leftOf(tenant) < leftOf(key));

/** Names in one script, so that it does not occupy Redis for long. */
export const MAX_BATCH = 500;

/** ARGV: milliseconds of a window, then the points of each name. Returns each name's total, and when its window ends. */
const COUNT = `
local standings = {}
for i, name in ipairs(KEYS) do
  local total = redis.call('incrby', name, ARGV[i + 1])
  local ms = redis.call('pttl', name)
  if ms < 0 then
    redis.call('pexpire', name, ARGV[1])
    ms = tonumber(ARGV[1])
  end
  standings[i] = {total, ms}
end
return standings
`;

interface CountingClient {
  countWindows(
    names: number,
    ...args: readonly (string | number)[]
  ): Promise<readonly (readonly [total: number, leftMs: number])[]>;
}

interface SyncWindowsOptions {
  readonly redis: Pick<RedisConnection, 'client'>;
  readonly keyPrefix: string;
  readonly windowMs: number;
}

/** Creates what counts in windows that all replicas share: a window starts with the first points of its name. */
export function createSyncWindows({
  redis: { client },
  keyPrefix,
  windowMs,
}: SyncWindowsOptions): SyncTallies {
  client.defineCommand('countWindows', { lua: COUNT });
  const counting = client as unknown as CountingClient;

  async function count(reports: readonly Report[]): Promise<Standing[]> {
    const sentMs = performance.now();
    const names = reports.map(({ tally }) => `${keyPrefix}:${tally.name}`);
    const points = reports.map((report) => report.points);
    const replies = await counting.countWindows(names.length, ...names, windowMs, ...points);
    // Counted from the question, so it may be early by one round trip.
    return replies.map(([total, leftMs]) => ({ total, endMs: sentMs + leftMs }));
  }

  return async (reports) => {
    const batches: Promise<Standing[]>[] = [];
    for (let from = 0; from < reports.length; from += MAX_BATCH) {
      batches.push(count(reports.slice(from, from + MAX_BATCH)));
    }
    return (await Promise.all(batches)).flat();
  };
}
