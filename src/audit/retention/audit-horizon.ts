const DAY_MS = 86_400_000;

/** What is known before a sweep; moments in milliseconds since the epoch. */
export interface SweepFacts {
  /** By the clocks. */
  readonly clockMs: number;
  /** What is taken for the present: no later than the clocks say. */
  readonly nowMs: number;
  readonly retentionMs: number;
  /** The oldest record there is; null when there is none. */
  readonly oldestMs: number | null;
  /** Up to where the last sweep went; null before the first one. */
  readonly sweptBeforeMs: number | null;
  /** When a refused sweep last went on by a day's worth. */
  readonly steppedAtMs: number | null;
  /** Up to where an operator has allowed to delete. */
  readonly approvedBeforeMs: number | null;
}

export interface SweepPlan {
  /** Records made before this moment go now. */
  readonly beforeMs: number;
  /** It takes the day's worth of a refused sweep. */
  readonly isStep: boolean;
}

/**
 * How far a sweep may go. One that would take more than a day's worth of records beyond the last sweep is refused: the
 * clock may be wrong. It then goes on by a day's worth each day, so that a wrong clock is seen in time; what lies further
 * behind goes when an operator allows it.
 */
export function planSweep(facts: SweepFacts): SweepPlan {
  const wantedMs = facts.nowMs - facts.retentionMs;
  const allowedMs = Math.max(facts.sweptBeforeMs ?? 0, facts.approvedBeforeMs ?? 0);
  // Where there are no records, there is nothing to be careful about.
  const reachedMs = Math.max(allowedMs, facts.oldestMs ?? wantedMs);
  if (wantedMs - reachedMs <= DAY_MS) {
    return { beforeMs: Math.max(wantedMs, allowedMs), isStep: false };
  }
  const isStep = mayStep(facts);
  return { beforeMs: isStep ? reachedMs + DAY_MS : allowedMs, isStep };
}

/** A clock that was set back since the last step must not stop the next one for as long as it was ahead. */
const mayStep = ({ clockMs, steppedAtMs }: SweepFacts): boolean =>
  steppedAtMs === null || Math.abs(clockMs - steppedAtMs) >= DAY_MS;
