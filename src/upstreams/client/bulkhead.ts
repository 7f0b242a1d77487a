import { GatewayError } from '../../platform/kernel/error.ts';
import { createTurnQueue } from '../../platform/kernel/turn-queue.ts';
import type { AbortableCall } from './abortable-call.ts';
import type { Lane } from './lanes.ts';

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
