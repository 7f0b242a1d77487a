import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import { createLru } from '../../platform/kernel/lru.ts';
import type { RedisConnection } from '../../platform/redis/redis-connection.ts';
import {
  blockOf,
  changeLimit,
  createQueues,
  enter,
  type Lease,
  newLease,
  newQueue,
  PART_OF_LEFT,
  type Queue,
  roomAlone,
  roomOf,
  use,
} from './lease.ts';
import {
  type ChargeRequest,
  type Count,
  decide,
  type LimitDecision,
  MAX_WINDOWS,
  WINDOW_SECONDS,
} from './limit-decision.ts';

const WINDOW_MS = WINDOW_SECONDS * 1000;

/** Of a limit, leased by all replicas together: at most so much may be unused when the window ends. */
const LEASED_PART = 0.02;

/** Requests in one script, so that a burst does not occupy Redis for long. */
const MAX_BATCH = 500;

/**
 * A process knows the end of a window as early as it asked, so up to the time of a reply too early. A window that ends later
 * than that is a new one, and what was leased of the one before is void.
 */
const SAME_WINDOW_MS = 1000;

/**
 * Leases points of both windows in one round trip; with a command for each, what one limit refuses would count for the
 * other. ARGV: seconds of a window; limit, points held, milliseconds left as far as known, and block to lease for each
 * window; then the points of each request that waits, which pass or are refused one by one. Points held are counted
 * already; a negative number is owed. Returns the points leased, the points left and the milliseconds left of each window.
 */
const LEASE = `
local function open(name, at)
  local limit = tonumber(ARGV[at])
  if limit == 0 then return {room = math.huge} end
  local used, ms = redis.call('get', name), redis.call('pttl', name)
  if not used then redis.call('set', name, 0) end
  if ms < 0 then
    redis.call('expire', name, ARGV[1])
    ms = 1000 * ARGV[1]
  end
  local held = tonumber(ARGV[at + 1])
  if ms > ARGV[at + 2] + ${SAME_WINDOW_MS} then held = 0 end
  local left = limit - (used or 0)
  return {name = name, left = left, ms = ms, held = held, room = left + held, block = tonumber(ARGV[at + 3])}
end
local key, tenant = open(KEYS[1], 2), open(KEYS[2], 6)
local sum = 0
for i = 10, #ARGV do
  local points = tonumber(ARGV[i])
  if sum + points <= key.room and sum + points <= tenant.room then sum = sum + points end
end
local function lease(window)
  if not window.name then return {0, 0, 0} end
  local points = math.max(0, sum - window.held)
  if sum > 0 or #ARGV < 10 then
    points = points + math.max(0, math.min(window.block, math.floor((window.left - points) / ${PART_OF_LEFT})))
  end
  if points > 0 then redis.call('incrby', window.name, points) end
  return {points, window.left - points, window.ms}
end
return {lease(key), lease(tenant)}
`;

type Reply = readonly [leased: number, left: number, leftMs: number];

/** Redis with the script. */
interface LeasingClient {
  leaseWindows(...args: (string | number)[]): Promise<readonly [key: Reply, tenant: Reply]>;
}

interface Window extends Lease {
  readonly queue: Queue<ChargeRequest>;
  /** Whether a block is on its way: one is enough for all keys of a tenant. */
  isFilling: boolean;
}

export interface LeasedChargeOptions {
  readonly redis: Pick<RedisConnection, 'client'>;
  readonly keyPrefix: string;
  readonly replicas: () => number;
}

/**
 * Charges windows that all replicas share. Points in hand are charged at once, without a request to Redis. A block of them
 * is leased with what a request needs, and again in the background when half of it is used. While Redis is away, each
 * replica admits its part of what was left.
 */
export function createLeasedCharge({ redis, keyPrefix, replicas }: LeasedChargeOptions) {
  const { client } = redis;
  client.defineCommand('leaseWindows', { numberOfKeys: 2, lua: LEASE });
  const leasing = client as unknown as LeasingClient;
  const open = createWindows();
  // While the connection is down, no command is tried.
  const isReady = (): boolean => client.status === 'ready';

  async function ask(request: ChargeRequest, waiting: readonly ChargeRequest[]): Promise<void> {
    const points = pointsOfSame(request, waiting);
    const needed = points.reduce((sum, more) => sum + more, 0);
    const sentMs = performance.now();
    const stakes = open(request, sentMs).map((window) => {
      return window ? stakeOf(window, needed, sentMs, replicas()) : NO_STAKE;
    });
    const names = [`${keyPrefix}:${request.key}`, `${keyPrefix}:${request.tenantId}`];
    const args = stakes.flatMap((stake) => stake.args);
    try {
      const replies = await leasing.leaseWindows(...names, WINDOW_SECONDS, ...args, ...points);
      for (const [i, reply] of replies.entries()) stakes[i]?.settle(...reply);
    } catch (error) {
      for (const stake of stakes) stake.release();
      throw error;
    }
  }

  function decideNow(
    request: ChargeRequest,
    nowMs = performance.now(),
    windows = open(request, nowMs),
  ): LimitDecision | undefined {
    const refusal = refusalWithin(request, windows, nowMs, roomOf);
    if (refusal !== undefined) return refusal;
    const [key, tenant] = windows;
    if (!isInHand(key, request.points) || !isInHand(tenant, request.points)) return undefined;
    return admit(request, windows, nowMs, roomOf);
  }

  function decideAlone(request: ChargeRequest): LimitDecision {
    const nowMs = performance.now();
    const windows = open(request, nowMs);
    const count = replicas();
    const room = (lease: Lease): number => roomAlone(lease, count);
    return refusalWithin(request, windows, nowMs, room) ?? admit(request, windows, nowMs, room);
  }

  const queues = createQueues({
    ask,
    decide: (request) => decideNow(request),
    decideAlone,
  });

  return (request: ChargeRequest): Awaitable<LimitDecision> => {
    const nowMs = performance.now();
    const windows = open(request, nowMs);
    const { queue } = (windows[0] ?? windows[1]) as Window;
    // No request overtakes one that waits.
    const decision = queue.waiting.length > 0 ? undefined : decideNow(request, nowMs, windows);
    if (decision === undefined) {
      return isReady() ? queues.wait(queue, request) : decideAlone(request);
    }
    if (windows.some(isLow) && isReady()) queues.refill(queue, request);
    return decision;
  };
}

/** The windows of a key and its tenant; null without a limit. */
type Windows = readonly [key: Window | null, tenant: Window | null];

/** Remembers windows by name. One that has ended starts again. */
function createWindows() {
  const known = createLru<Window>(MAX_WINDOWS);
  function open(name: string, limit: number, nowMs: number): Window | null {
    if (limit === 0) return null;
    const window = known.get(name);
    if (window === undefined) {
      const lease = newLease(limit, nowMs + WINDOW_MS);
      const created = { ...lease, queue: newQueue<ChargeRequest>(), isFilling: false };
      known.set(name, created);
      return created;
    }
    if (window.end <= nowMs) Object.assign(window, newLease(limit, nowMs + WINDOW_MS));
    else if (window.limit !== limit) changeLimit(window, limit);
    return window;
  }
  return ({ key, limit, tenantId, tenantLimit }: ChargeRequest, nowMs: number): Windows => [
    open(key, limit, nowMs),
    open(tenantId, tenantLimit, nowMs),
  ];
}

const isInHand = (window: Window | null, points: number): boolean =>
  window === null || window.inHand >= points;

const isLow = (window: Window | null): boolean =>
  window !== null && window.inHand <= window.refillAt && !window.isFilling;

type Room = (lease: Lease) => number;

/** The refusal of the first window without room, the tenant's before the key's. */
function refusalWithin(
  request: ChargeRequest,
  [key, tenant]: Windows,
  nowMs: number,
  room: Room,
): LimitDecision | undefined {
  const { points } = request;
  if (tenant && room(tenant) < points) {
    return decide(request, null, countOf(tenant, room(tenant) - points, nowMs));
  }
  if (key && room(key) < points) {
    return decide(request, countOf(key, room(key) - points, nowMs), null);
  }
  return undefined;
}

function admit(
  request: ChargeRequest,
  [key, tenant]: Windows,
  nowMs: number,
  room: Room,
): LimitDecision {
  if (key) use(key, request.points);
  if (tenant) use(tenant, request.points);
  const ofKey = key && countOf(key, room(key), nowMs);
  return decide(request, ofKey, tenant && countOf(tenant, room(tenant), nowMs));
}

const countOf = ({ limit, end }: Lease, left: number, nowMs: number): Count => ({
  used: limit - left,
  // The sum that is `end` may have been rounded up.
  leftMs: Math.min(end - nowMs, WINDOW_MS),
});

/** The points of the first requests that wait for the same two windows. */
function pointsOfSame(request: ChargeRequest, waiting: readonly ChargeRequest[]): number[] {
  const isOther = ({ limit, tenantId }: ChargeRequest): boolean =>
    limit !== request.limit || tenantId !== request.tenantId;
  const end = waiting.findIndex(isOther);
  return waiting.slice(0, end < 0 ? MAX_BATCH : Math.min(end, MAX_BATCH)).map((one) => one.points);
}

/** What a request to Redis takes from a window in hand, and how its reply is entered. */
function stakeOf(window: Window, needed: number, sentMs: number, processes: number) {
  const { owed, end } = window;
  const fromHand = Math.min(window.inHand, needed);
  const held = fromHand - owed;
  const leftMs = Math.ceil(end - sentMs);
  const block = blockOf(window.limit, LEASED_PART, processes);
  const fills = !window.isFilling;
  const wanted = fills ? Math.max(0, block - window.inHand + fromHand) : 0;
  window.inHand -= fromHand;
  window.owed = 0;
  window.left -= owed;
  window.isFilling = true;
  return {
    args: [window.limit, held, leftMs, wanted],
    settle(leased: number, left: number, ms: number): void {
      if (fills) window.isFilling = false;
      const isOther = ms > leftMs + SAME_WINDOW_MS;
      if (isOther && window.end === end) window.inHand = 0;
      enter(window, isOther ? leased : leased + held, left, block);
      window.end = sentMs + ms;
    },
    release(): void {
      if (fills) window.isFilling = false;
      if (window.end !== end) return;
      window.inHand += fromHand;
      window.owed += owed;
      window.left += owed;
    },
  };
}

const NO_STAKE: Omit<ReturnType<typeof stakeOf>, never> = {
  args: [0, 0, 0, 0],
  settle: () => undefined,
  release: () => undefined,
};
