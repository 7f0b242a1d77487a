import { type Connection, isIdle, isUnread } from './connection.ts';

/** Connections that share a bound. */
export interface ConnectionGroup {
  add(connection: Connection): void;
  delete(connection: Connection): void;
  size(): number;
  isFull(): boolean;
  members(): Iterable<Connection>;
  /** The one that has been unread longest, else the one that has been idle longest; undefined when all are in use. */
  leastUseful(): Connection | undefined;
}

/** A connection that has been left for less is not called unread or idle: two sweeps. */
const MIN_LEFT_MS = 2000;

/** Candidates are chosen once in this time: whoever opens connections fast must not have all looked at for each. */
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
    const sinceMs = nowMs - MIN_LEFT_MS;
    const rank = (connection: Connection): number =>
      isUnread(connection, sinceMs) ? connection.tookMs - nowMs : connection.busyMs;
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
        if (!next || (members.has(next) && isCandidate(next, nowMs - MIN_LEFT_MS))) return next;
      }
    },
  };
}
