import type { AuditRetentionTable } from '../../platform/database/tables.ts';

export const DAY_MS = 86_400_000;
/** Twice as fast as time passes, so that retention catches up. */
const STEP_MS = 2 * DAY_MS;

/** Up to when retention deletes, and when that was last moved. */
export type Cutoff = Omit<AuditRetentionTable, 'id'>;

interface CutoffFacts {
  readonly nowMs: number;
  readonly retentionMs: number;
  /** When the oldest seal with records was made; null without one. Only the first cut-off depends on it. */
  readonly oldestMs: number | null;
}

/**
 * Moves the cut-off to the time that is as old as the retention, but at most two days beyond the last cut-off, and at most once
 * a day: whatever the clock says, a day costs no more than two days of records. The first cut-off is not beyond the oldest
 * record. A clock that was set back moves it no further.
 */
export function moveCutoff(
  last: Cutoff | undefined,
  { nowMs, retentionMs, oldestMs }: CutoffFacts,
): Cutoff {
  const wantedMs = nowMs - retentionMs;
  if (last && nowMs < last.moved_at_ms) {
    return { cutoff_ms: Math.min(last.cutoff_ms, wantedMs), moved_at_ms: nowMs };
  }
  if (last && nowMs - last.moved_at_ms < DAY_MS) return last;
  const mostMs = last ? last.cutoff_ms + STEP_MS : (oldestMs ?? wantedMs);
  return { cutoff_ms: Math.min(wantedMs, mostMs), moved_at_ms: nowMs };
}
