import { type Connection, isIdle, isUnread } from './connection.ts';

/** Connections that share a bound. */
export interface ConnectionGroup {
  add(connection: Connection): void;
  delete(connection: Connection): void;
  size(): number;
  isFull(): boolean;
  members(): Iterable<Connection>;
  /** The connection unread for longest, else the one idle for longest. Undefined when all are in use. */
  leastUseful(): Connection | undefined;
}

/** How long a connection must be unread or idle to count as such: two sweeps. */
const MIN_UNUSED_MS = 2000;

/** How often candidates are chosen: a client that opens connections quickly must not trigger a scan of all for each. */
const CHOICE_MS = 1000;
const MAX_CANDIDATES = 1000;

export function createConnectionGroup(max: number): ConnectionGroup {
  const members = new Set<Connection>();
  let candidates: Connection[] = [];
  let chosenMs = Number.NEGATIVE_INFINITY;

  const isCandidate = (connection: Connection, sinceMs: number): boolean =>
    isUnread(connection, sinceMs) || isIdle(connection, sinceMs);

  function choose(nowMs: number): void {
    if (nowMs - chosenMs < CHOICE_MS) return;
    chosenMs = nowMs;
    const sinceMs = nowMs - MIN_UNUSED_MS;
    const rank = (connection: Connection): number =>
      isUnread(connection, sinceMs) ? connection.readMs - nowMs : connection.busyMs;
    candidates = [...members]
      .filter((connection) => isCandidate(connection, sinceMs))
      .sort((a, b) => rank(b) - rank(a))
      .slice(-MAX_CANDIDATES);
  }

  return {
    add: (connection) => void members.add(connection),
    delete: (connection) => void members.delete(connection),
    size: () => members.size,
    isFull: () => members.size >= max,
    members: () => members,
    leastUseful() {
      const nowMs = performance.now();
      choose(nowMs);
      for (;;) {
        const next = candidates.pop();
        if (!next || (members.has(next) && isCandidate(next, nowMs - MIN_UNUSED_MS))) return next;
      }
    },
  };
}
