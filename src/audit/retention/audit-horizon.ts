export const DAY_MS = 86_400_000;

/** The state before a sweep. All times are in milliseconds since the epoch. */
export interface SweepFacts {
  /** The time according to the clocks. */
  readonly clockMs: number;
  /** The time that the sweep assumes: never later than the clocks. */
  readonly nowMs: number;
  readonly retentionMs: number;
  /** When the oldest record was created; null if the log is empty. */
  readonly oldestMs: number | null;
  /** Up to where the last sweep deleted; null before the first one. */
  readonly sweptBeforeMs: number | null;
  /** When a refused sweep last deleted a day's worth of records. */
  readonly steppedAtMs: number | null;
  /** Up to where an operator has approved deletion. */
  readonly approvedBeforeMs: number | null;
}

export interface SweepPlan {
  /** Delete records created before this time. */
  readonly beforeMs: number;
  /** The sweep was refused and deletes only a day's worth of records. */
  readonly isStep: boolean;
}

/**
 * How far a sweep may go. A sweep that would delete more than a day's worth of records beyond the last one is refused,
 * because the clock may be wrong. It then deletes a day's worth each day, so that a wrong clock is noticed in time. An
 * operator can approve the rest.
 */
export function planSweep(facts: SweepFacts): SweepPlan {
  const wantedMs = facts.nowMs - facts.retentionMs;
  const allowedMs = Math.max(facts.sweptBeforeMs ?? 0, facts.approvedBeforeMs ?? 0);
  // An empty log needs no caution.
  const reachedMs = Math.max(allowedMs, facts.oldestMs ?? wantedMs);
  if (wantedMs - reachedMs <= DAY_MS) {
    return { beforeMs: Math.max(wantedMs, allowedMs), isStep: false };
  }
  const isStep = mayStep(facts);
  return { beforeMs: isStep ? reachedMs + DAY_MS : allowedMs, isStep };
}

/** Compares the absolute difference: if the clock was ahead at the last step and was set back, the next one must not wait. */
const mayStep = ({ clockMs, steppedAtMs }: SweepFacts): boolean =>
  steppedAtMs === null || Math.abs(clockMs - steppedAtMs) >= DAY_MS;
