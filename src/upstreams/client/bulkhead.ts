import { GatewayError } from '../../platform/kernel/error.ts';
import type { Interruption } from './interruption.ts';
import type { Lane, WaitingCall } from './lanes.ts';

/**
 * At most `limit` calls to one origin at a time, shared fairly between tenants:
 * - A tenant takes more than half of the places only while it is alone: while no other waits, has a call under way, or
 *   had one in the last ten seconds. What is kept free that way is there at once for whoever comes occasionally.
 * - Even alone it leaves an eighth of them free, for the first call of somebody who has not been there lately.
 * - A place that becomes free goes to the waiting tenants in turn, and among the calls of one to the oldest.
 * - As many calls as there are places may wait for each tenant, and so may 100 tenants.
 *
 * A call that is interrupted while it waits gives up its place in the queue at once.
 */
export interface Bulkhead {
  /** Takes a free place, if there is one for this tenant. */
  tryEnter(lane: Lane): boolean;
  /** Waits for a place; rejects with `overloaded` at once when the queue is full, or when interrupted. */
  enterLater(lane: Lane, interruption: Interruption): Promise<void>;
  /** Gives a place back. */
  leave(lane: Lane): void;
  readonly inFlight: () => number;
}

/** How long a tenant that is not there now keeps others from taking more than half. */
const PRESENCE_MS = 10_000;

/** Tenants that may wait at one origin at a time. */
const MAX_WAITING_TENANTS = 100;

export function createBulkhead(
  limit: number,
  now: () => number,
  maxWaitingTenants = MAX_WAITING_TENANTS,
): Bulkhead {
  const share = Math.ceil(limit / 2);
  const mostAlone = limit - Math.floor(limit / 8);
  /** Tenants with waiting calls; the first has its turn next. */
  const turns: Lane[] = [];
  let inFlight = 0;
  let latest: Lane | null = null;
  /** The last tenant to enter that is not `latest`. */
  let latestOther: Lane | null = null;

  function isAlone(lane: Lane): boolean {
    if (inFlight > lane.inFlight || turns.some((waiting) => waiting !== lane)) return false;
    const other = latest === lane ? latestOther : latest;
    return other === null || now() - other.lastUsedMs >= PRESENCE_MS;
  }

  const mayTake = (lane: Lane): boolean =>
    lane.inFlight < share || (lane.inFlight < mostAlone && isAlone(lane));

  function enter(lane: Lane): void {
    inFlight += 1;
    lane.inFlight += 1;
    if (latest === lane) return;
    latestOther = latest;
    latest = lane;
  }

  function admitWaiting(): void {
    while (inFlight < limit) {
      const turn = turns.findIndex(mayTake);
      const [lane] = turn === -1 ? [] : turns.splice(turn, 1);
      const call = lane?.waiting.shift();
      if (!lane || !call) return;
      if (lane.waiting.length > 0) turns.push(lane);
      enter(lane);
      call.enter();
    }
  }

  function giveUp(lane: Lane, call: WaitingCall): boolean {
    const place = lane.waiting.indexOf(call);
    if (place === -1) return false;
    lane.waiting.splice(place, 1);
    if (lane.waiting.length === 0) turns.splice(turns.indexOf(lane), 1);
    return true;
  }

  const hasRoom = ({ waiting }: Lane): boolean =>
    waiting.length === 0 ? turns.length < maxWaitingTenants : waiting.length < limit;

  return {
    tryEnter(lane) {
      if (inFlight >= limit || lane.waiting.length > 0 || !mayTake(lane)) return false;
      enter(lane);
      return true;
    },
    enterLater(lane, interruption) {
      if (!hasRoom(lane)) return Promise.reject(tooManyCalls());
      return new Promise((resolve, reject) => {
        const call: WaitingCall = { enter: resolve };
        if (lane.waiting.push(call) === 1) turns.push(lane);
        interruption.watch({
          // After `enter` the place is taken: the call goes on and learns of the interruption at its next step.
          interrupt: (error) => {
            if (giveUp(lane, call)) reject(error);
          },
        });
      });
    },
    leave(lane) {
      inFlight -= 1;
      lane.inFlight -= 1;
      if (turns.length > 0) admitWaiting();
    },
    inFlight: () => inFlight,
  };
}

/** `overloaded`: this origin is asked for more than it is given. */
export function tooManyCalls(): GatewayError {
  return new GatewayError(
    'overloaded',
    'Too many calls to this upstream are under way; retry in a moment.',
    { details: { retryAfterSeconds: 1 } },
  );
}
