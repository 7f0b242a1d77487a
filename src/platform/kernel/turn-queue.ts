/** What waits in one lane, in order of arrival. */
export interface TurnLane<Waiting> {
  readonly waiting: Waiting[];
}

export interface TurnQueueOptions {
  readonly maxPerLane: number;
  /** Lanes in which something waits at the same time. */
  readonly maxLanes: number;
}

/** Lanes take turns; what waits in one lane keeps its order. Tenants have a lane each, so that none delays the others. */
export interface TurnQueue<Waiting, Lane extends TurnLane<Waiting>> {
  isEmpty(): boolean;
  /** Whether something waits in a lane other than this one. */
  hasOthers(lane: Lane): boolean;
  /** Returns false if too much waits in this lane, or in too many lanes. */
  add(lane: Lane, item: Waiting): boolean;
  /** Removes what waits no longer. Returns false if it has had its turn. */
  remove(lane: Lane, item: Waiting): boolean;
  /** The next lane that may enter, with what has waited longest in it, which is removed from the queue. */
  next(mayEnter?: (lane: Lane) => boolean): { lane: Lane; item: Waiting } | null;
}

export function createTurnQueue<Waiting, Lane extends TurnLane<Waiting>>({
  maxPerLane,
  maxLanes,
}: TurnQueueOptions): TurnQueue<Waiting, Lane> {
  /** Lanes in which something waits; the first one is next. */
  const turns: Lane[] = [];

  const hasSpace = ({ waiting }: Lane): boolean =>
    waiting.length < maxPerLane && (waiting.length > 0 || turns.length < maxLanes);

  return {
    isEmpty: () => turns.length === 0,
    hasOthers: (lane) => turns.some((waiting) => waiting !== lane),
    add(lane, item) {
      if (!hasSpace(lane)) return false;
      if (lane.waiting.push(item) === 1) turns.push(lane);
      return true;
    },
    remove(lane, item) {
      const index = lane.waiting.indexOf(item);
      if (index === -1) return false;
      lane.waiting.splice(index, 1);
      if (lane.waiting.length === 0) turns.splice(turns.indexOf(lane), 1);
      return true;
    },
    next(mayEnter = () => true) {
      const turn = turns.findIndex(mayEnter);
      const [lane] = turn === -1 ? [] : turns.splice(turn, 1);
      const item = lane?.waiting.shift();
      if (!lane || item === undefined) return null;
      if (lane.waiting.length > 0) turns.push(lane);
      return { lane, item };
    },
  };
}
