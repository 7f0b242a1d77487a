import type { Lane, WaitingCall } from './lanes.ts';

/** Tenants that may wait at one origin at the same time. */
const MAX_WAITING_TENANTS = 100;

/** The calls that wait for a slot of one origin. Tenants take turns; the calls of one tenant keep their order. */
export interface TurnQueue {
  isEmpty(): boolean;
  /** Whether tenants other than this one wait. */
  hasOthers(lane: Lane): boolean;
  /** Adds a call. Returns false if too many calls of this tenant, or too many tenants, wait already. */
  add(lane: Lane, call: WaitingCall): boolean;
  /** Removes a call that waits no longer. Returns false if it has had its turn. */
  remove(lane: Lane, call: WaitingCall): boolean;
  /** The lane of the next tenant whose call may enter, with that call removed from the queue. */
  next(mayEnter: (lane: Lane) => boolean): { lane: Lane; call: WaitingCall } | null;
}

export function createTurnQueue(maxCallsPerTenant: number): TurnQueue {
  /** Tenants with waiting calls; the first one is next. */
  const turns: Lane[] = [];

  const hasSpace = ({ waiting }: Lane): boolean =>
    waiting.length === 0 ? turns.length < MAX_WAITING_TENANTS : waiting.length < maxCallsPerTenant;

  return {
    isEmpty: () => turns.length === 0,
    hasOthers: (lane) => turns.some((waiting) => waiting !== lane),
    add(lane, call) {
      if (!hasSpace(lane)) return false;
      if (lane.waiting.push(call) === 1) turns.push(lane);
      return true;
    },
    remove(lane, call) {
      const index = lane.waiting.indexOf(call);
      if (index === -1) return false;
      lane.waiting.splice(index, 1);
      if (lane.waiting.length === 0) turns.splice(turns.indexOf(lane), 1);
      return true;
    },
    next(mayEnter) {
      const turn = turns.findIndex(mayEnter);
      const [lane] = turn === -1 ? [] : turns.splice(turn, 1);
      const call = lane?.waiting.shift();
      if (!lane || !call) return null;
      if (lane.waiting.length > 0) turns.push(lane);
      return { lane, call };
    },
  };
}
