import type { Closeable } from '../../platform/kernel/closeable.ts';
import { isoTime } from '../../platform/kernel/iso-time.ts';
import { DAY_MS, planSweep, type SweepFacts } from './audit-horizon.ts';
import { claimSweep, endOfRecords, readSweepState, type SweepState } from './audit-sweeps.ts';
import { createSweepClock, type SweepClockDeps } from './sweep-clock.ts';
import { createSweepDeletion, type SweepDeletionDeps } from './sweep-deletion.ts';

/** What retention reports. */
export type RetentionNotice =
  | { readonly kind: 'swept'; readonly records: number; readonly before: string }
  /** Records that are too old were not deleted, because the clock may be wrong. */
  | { readonly kind: 'refused'; readonly before: string; readonly wantedBefore: string }
  | { readonly kind: 'clocks_differ'; readonly byMs: number };

export interface AuditRetentionDeps
  extends SweepDeletionDeps,
    Omit<SweepClockDeps, 'onDifference'> {
  readonly onNotice?: ((notice: RetentionNotice) => void) | undefined;
}

export interface RetentionStats {
  /** Records deleted since start. */
  readonly deleted: number;
  /** Records that are too old by the clock are still stored, because the last sweep was refused. */
  readonly refused: boolean;
}

/** `close` ends a sweep in progress early. */
export interface AuditRetention extends Closeable {
  /** Deletes records that are too old now, as far as `planSweep` allows. Runs after any sweep in progress. */
  sweep(): Promise<void>;
  /** Sweeps if an operator has approved more than has been deleted. */
  sweepIfApproved(): Promise<void>;
  stats(): RetentionStats;
}

export function createAuditRetention(deps: AuditRetentionDeps): AuditRetention {
  const { db, retentionDays, onNotice } = deps;
  const retentionMs = retentionDays * DAY_MS;
  const onDifference = (byMs: number): void => onNotice?.({ kind: 'clocks_differ', byMs });
  const sweepClock = createSweepClock({ ...deps, onDifference });
  const deletion = createSweepDeletion(deps);
  let refused = false;
  let closed = false;
  let steppedAfterMs = Number.NEGATIVE_INFINITY;

  const readFacts = async (state: SweepState): Promise<SweepFacts> => ({
    ...(await sweepClock.read()),
    retentionMs,
    oldestMs: await endOfRecords(db, 'oldest'),
    sweptBeforeMs: state.swept_before_ms,
    steppedAtMs: state.stepped_at_ms,
    approvedBeforeMs: state.approved_before_ms,
  });

  /** A clock that advances by days within hours gets no more than one step. */
  const plan = (facts: SweepFacts) => {
    const steppedRecently = performance.now() - steppedAfterMs < DAY_MS;
    return planSweep(steppedRecently ? { ...facts, steppedAtMs: facts.clockMs } : facts);
  };

  const sweepOnce = async (): Promise<void> => {
    if (retentionDays === 0 || closed) return;
    const state = await readSweepState(db);
    const facts = await readFacts(state);
    const { beforeMs, isStep } = plan(facts);
    const steppedAtMs = isStep ? facts.clockMs : state.stepped_at_ms;
    const next = { swept_before_ms: beforeMs, stepped_at_ms: steppedAtMs };
    if (!(await claimSweep(db, state, next))) return;
    if (isStep) steppedAfterMs = performance.now();
    // Whatever `audit_sweeps` says, and whatever the retention was before: no record is deleted before its time.
    const lawfulMs = Math.min(beforeMs, facts.clockMs - retentionMs);
    const records = await deletion.run(lawfulMs, facts.oldestMs);
    if (records > 0) onNotice?.({ kind: 'swept', records, before: isoTime(beforeMs) });
    await reportRefusal(beforeMs, facts.clockMs - retentionMs);
  };

  const reportRefusal = async (beforeMs: number, wantedMs: number): Promise<void> => {
    const oldestMs = await endOfRecords(db, 'oldest');
    refused = oldestMs !== null && oldestMs < wantedMs && beforeMs < wantedMs;
    if (!refused) return;
    const [before, wantedBefore] = [isoTime(beforeMs), isoTime(wantedMs)];
    onNotice?.({ kind: 'refused', before, wantedBefore });
  };

  let underWay: Promise<void> = Promise.resolve();
  const sweep = (): Promise<void> => {
    underWay = underWay.then(sweepOnce, sweepOnce);
    return underWay;
  };

  return {
    sweep,
    sweepIfApproved: async () => {
      const { approved_before_ms: approved, swept_before_ms: swept } = await readSweepState(db);
      if ((approved ?? 0) > (swept ?? 0)) await sweep();
    },
    stats: () => ({ deleted: deletion.deleted(), refused }),
    close: async () => {
      closed = true;
      deletion.stop();
      await underWay.catch(() => undefined);
    },
  };
}
