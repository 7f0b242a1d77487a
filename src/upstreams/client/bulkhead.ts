import { GatewayError } from '../../platform/kernel/error.ts';
import { createTurnQueue } from '../../platform/kernel/turn-queue.ts';
import type { AbortableCall } from './abortable-call.ts';
import { type CircuitRecord, createCircuitRecord } from './circuit.ts';

/** How long an absent tenant still prevents others from holding more than half of the slots. */
const PRESENCE_MS = 10_000;

/** Tenants that may wait at one origin at the same time. */
const MAX_WAITING_TENANTS = 100;

export type Bulkhead = ReturnType<typeof createBulkhead>;

/**
 * Limits the calls in flight to one origin, and shares the slots fairly between tenants:
 * - A tenant may hold more than half of the slots only while it is alone: no other tenant waits, has a call in flight, or
 *   had one in the last ten seconds. The slots that stay free this way serve an occasional caller at once.
 * - Even a tenant that is alone leaves an eighth of the slots free, for the first call of another tenant.
 * - A released slot goes to the waiting tenants in turn, and to the oldest call of the tenant.
 * - Each tenant may have as many waiting calls as the origin has slots, and 100 tenants may wait.
 *
 * A waiting call that is aborted leaves the queue at once.
 */
export function createBulkhead(limit: number, now: () => number) {
  const share = Math.ceil(limit / 2);
  const maxAlone = limit - Math.floor(limit / 8);
  const queue = createTurnQueue<() => void, Lane>({
    maxPerLane: limit,
    maxLanes: MAX_WAITING_TENANTS,
  });
  let inFlight = 0;
  let latest: Lane | null = null;
  /** The last tenant to acquire a slot other than `latest`. */
  let latestOther: Lane | null = null;

  function isAlone(lane: Lane): boolean {
    if (inFlight > lane.inFlight || queue.hasOthers(lane)) return false;
    const other = latest === lane ? latestOther : latest;
    return other === null || now() - other.lastUsedMs >= PRESENCE_MS;
  }

  const mayEnter = (lane: Lane): boolean =>
    lane.inFlight < share || (lane.inFlight < maxAlone && isAlone(lane));

  function enter(lane: Lane): void {
    inFlight += 1;
    lane.inFlight += 1;
    if (latest === lane) return;
    latestOther = latest;
    latest = lane;
  }

  function admitWaiting(): void {
    while (inFlight < limit) {
      const next = queue.next(mayEnter);
      if (!next) return;
      enter(next.lane);
      next.item();
    }
  }

  return {
    /** Acquires a slot if one is free for this tenant. Returns false otherwise. */
    tryAcquire(lane: Lane): boolean {
      if (inFlight >= limit || lane.waiting.length > 0 || !mayEnter(lane)) return false;
      enter(lane);
      return true;
    },
    /** Waits for a slot. Rejects with `overloaded` at once when the queue is full, or when the call is aborted. */
    acquire(lane: Lane, call: AbortableCall): Promise<void> {
      return new Promise((enter, reject) => {
        if (!queue.add(lane, enter)) {
          reject(tooManyCalls());
          return;
        }
        call.setStep({
          // After `enter` the call has its slot: it continues, and throws at its next check.
          abort: (error) => {
            if (queue.remove(lane, enter)) reject(error);
          },
        });
      });
    },
    release(lane: Lane): void {
      inFlight -= 1;
      lane.inFlight -= 1;
      if (!queue.isEmpty()) admitWaiting();
    },
    inFlight: () => inFlight,
  };
}

/** `overloaded`: more calls to this origin than the gateway allows. */
export function tooManyCalls(): GatewayError {
  return new GatewayError(
    'overloaded',
    'Too many calls to this upstream are in progress. Retry in a moment.',
    { details: { retryAfterSeconds: 1 } },
  );
}

/** What one origin records about one tenant: its calls in flight, its waiting calls, and its failures. */
export interface Lane {
  readonly tenantId: string;
  inFlight: number;
  /** How to continue its calls that wait for a slot, in order of arrival. */
  readonly waiting: (() => void)[];
  readonly circuit: CircuitRecord;
  /** On the monotonic clock, in milliseconds. */
  lastUsedMs: number;
}

/** Tenants that one origin remembers. */
const MAX_LANES = 1000;

/** Lanes that are removed together, so that the sorting is rare. */
const EVICTED_LANES = 100;

/**
 * The lanes of one origin. An idle lane stays for the tenant's next call: a Map with constant adding and deleting is
 * expensive (see `createOpenCalls` in create-upstream-client.ts). At the limit, the idle lanes used least recently are
 * removed.
 */
export function createLanes() {
  const lanes = new Map<string, Lane>();

  function evict(): void {
    const idle = [...lanes.values()].filter(isIdle).sort((a, b) => a.lastUsedMs - b.lastUsedMs);
    for (const lane of idle.slice(0, EVICTED_LANES)) lanes.delete(lane.tenantId);
  }

  function create(tenantId: string): Lane {
    if (lanes.size >= MAX_LANES) evict();
    const circuit = createCircuitRecord();
    const lane: Lane = { tenantId, inFlight: 0, waiting: [], circuit, lastUsedMs: 0 };
    lanes.set(tenantId, lane);
    return lane;
  }

  return {
    /** The lane of this tenant, created on first use. */
    of(tenantId: string, nowMs: number): Lane {
      const lane = lanes.get(tenantId) ?? create(tenantId);
      lane.lastUsedMs = nowMs;
      return lane;
    },
    all: () => [...lanes.values()],
  };
}

const isIdle = ({ inFlight, waiting }: Lane): boolean => inFlight === 0 && waiting.length === 0;
