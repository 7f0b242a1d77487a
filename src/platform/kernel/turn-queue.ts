/**
 * Lanes take turns; what waits in one lane keeps its order. Tenants have a lane each, so that none delays the others.
 * At most `maxPerLane` wait in one lane, and in `maxLanes` lanes at the same time.
 */
export function createTurnQueue<Waiting, Lane extends { readonly waiting: Waiting[] }>({
  maxPerLane,
  maxLanes,
}: {
  readonly maxPerLane: number;
  readonly maxLanes: number;
}) {
  /** Lanes in which something waits; the first one is next. */
  const turns: Lane[] = [];

  const hasSpace = ({ waiting }: Lane): boolean =>
    waiting.length < maxPerLane && (waiting.length > 0 || turns.length < maxLanes);

  return {
    isEmpty: (): boolean => turns.length === 0,
    /** Whether something waits in a lane other than this one. */
    hasOthers: (lane: Lane): boolean => turns.some((waiting) => waiting !== lane),
    /** Returns false if too much waits in this lane, or in too many lanes. */
    add(lane: Lane, item: Waiting): boolean {
      if (!hasSpace(lane)) return false;
      if (lane.waiting.push(item) === 1) turns.push(lane);
      return true;
    },
    /** Removes what waits no longer. Returns false if it has had its turn. */
    remove(lane: Lane, item: Waiting): boolean {
      const index = lane.waiting.indexOf(item);
      if (index === -1) return false;
      lane.waiting.splice(index, 1);
      if (lane.waiting.length === 0) turns.splice(turns.indexOf(lane), 1);
      return true;
    },
    /** The next lane that may enter, with what has waited longest in it, which is removed from the queue. */
    next(mayEnter: (lane: Lane) => boolean): { lane: Lane; item: Waiting } | null {
      const turn = turns.findIndex(mayEnter);
      const [lane] = turn === -1 ? [] : turns.splice(turn, 1);
      const item = lane?.waiting.shift();
      if (!lane || item === undefined) return null;
      if (lane.waiting.length > 0) turns.push(lane);
      return { lane, item };
    },
  };
}
