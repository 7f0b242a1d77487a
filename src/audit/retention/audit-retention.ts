import type { Database } from '../../platform/database/database.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import { isoTime } from '../../platform/kernel/iso-time.ts';
import { repeat } from '../../platform/kernel/repeat.ts';
import {
  claimSweep,
  DAY_MS,
  endOfRecords,
  planSweep,
  readDatabaseClock,
  readSweepState,
} from './audit-sweeps.ts';
import { createSweepDeletion, type SweepDeletionDeps } from './sweep-deletion.ts';

const HOUR_MS = 3_600_000;
/** How soon an operator's approval takes effect. */
const APPROVAL_INTERVAL_MS = 60_000;

/** What retention reports. */
export type RetentionNotice =
  | { readonly kind: 'swept'; readonly records: number; readonly before: string }
  /** Records that are too old were not deleted, because the clock may be wrong. */
  | { readonly kind: 'refused'; readonly before: string; readonly wantedBefore: string }
  /** The clocks of the gateway and of PostgreSQL differ by more than an hour. */
  | { readonly kind: 'clocks_differ'; readonly byMs: number };

export interface AuditRetentionDeps extends SweepDeletionDeps {
  readonly backend: Database['backend'];
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** Called for every sweep, for one that was refused, and when clocks differ. */
  readonly onRetention?: ((notice: RetentionNotice) => void) | undefined;
}

export interface RetentionStats {
  /** Records deleted since start. */
  readonly deleted: number;
  /** Records that are too old by the clock are still stored, because the last sweep was refused. */
  readonly refused: boolean;
}

export type AuditRetention = ReturnType<typeof createAuditRetention>;

/** Sweeps at start, every hour, and within a minute of an operator's approval. */
export function createAuditRetention(deps: AuditRetentionDeps) {
  const { db, retentionDays, onError, onRetention } = deps;
  const retentionMs = retentionDays * DAY_MS;
  const readClock = createSweepClock(deps);
  const deletion = createSweepDeletion(deps);
  let refused = false;
  let closed = false;
  let steppedAfterMs = Number.NEGATIVE_INFINITY;

  const sweepOnce = async (): Promise<void> => {
    if (retentionDays === 0 || closed) return;
    const state = await readSweepState(db);
    const { clockMs, nowMs } = await readClock();
    const oldestMs = await endOfRecords(db, 'oldest');
    // A clock that advances by days within hours gets no more than one step.
    const steppedRecently = performance.now() - steppedAfterMs < DAY_MS;
    const steppedAtMs = steppedRecently ? clockMs : state.stepped_at_ms;
    const facts = { ...state, stepped_at_ms: steppedAtMs, clockMs, nowMs, retentionMs, oldestMs };
    const { beforeMs, isStep } = planSweep(facts);
    const stepped_at_ms = isStep ? clockMs : state.stepped_at_ms;
    if (!(await claimSweep(db, state, { swept_before_ms: beforeMs, stepped_at_ms }))) return;
    if (isStep) steppedAfterMs = performance.now();
    // Whatever `audit_sweeps` says, and whatever the retention was before: no record is deleted before its time.
    const wantedMs = clockMs - retentionMs;
    const records = await deletion.run(Math.min(beforeMs, wantedMs), oldestMs);
    const before = isoTime(beforeMs);
    if (records > 0) onRetention?.({ kind: 'swept', records, before });
    const leftMs = await endOfRecords(db, 'oldest');
    refused = leftMs !== null && leftMs < wantedMs && beforeMs < wantedMs;
    if (refused) onRetention?.({ kind: 'refused', before, wantedBefore: isoTime(wantedMs) });
  };

  let underWay: Promise<void> = Promise.resolve();
  const sweep = (): Promise<void> => {
    underWay = underWay.then(sweepOnce, sweepOnce);
    return underWay;
  };
  /** Sweeps if an operator has approved more than has been deleted. */
  const sweepIfApproved = async (): Promise<void> => {
    const { approved_before_ms: approved, swept_before_ms: swept } = await readSweepState(db);
    if ((approved ?? 0) > (swept ?? 0)) await sweep();
  };
  const every = (pauseMs: number, task: () => Promise<void>, firstMs = pauseMs) =>
    repeat(
      () => task().catch(onError),
      () => pauseMs,
      firstMs,
    );
  const stops =
    retentionDays > 0
      ? [every(HOUR_MS, sweep, 0), every(APPROVAL_INTERVAL_MS, sweepIfApproved)]
      : [];

  return {
    /** Deletes records that are too old now, as far as `planSweep` allows. Runs after any sweep in progress. */
    sweep,
    stats: (): RetentionStats => ({ deleted: deletion.deleted(), refused }),
    /** Ends a sweep in progress early. */
    close: async (): Promise<void> => {
      for (const stop of stops) stop();
      closed = true;
      deletion.stop();
      await underWay.catch(() => undefined);
    },
  };
}

/**
 * Reads the time, as far as a sweep may trust it: `clockMs` according to the clocks, and `nowMs`, which is never later than
 * the records make plausible.
 */
function createSweepClock({ db, backend, clock, onRetention }: AuditRetentionDeps) {
  let newest: { readonly ms: number; readonly seenAtMs: number } | undefined;

  /** The earlier of the two clocks: a slow clock keeps records too long, but a fast one would destroy them. */
  const readClocks = async (): Promise<number> => {
    const ownMs = clock.now();
    if (backend === 'embedded') return ownMs;
    const databaseMs = await readDatabaseClock(db);
    const byMs = ownMs - databaseMs;
    if (Math.abs(byMs) > HOUR_MS) onRetention?.({ kind: 'clocks_differ', byMs });
    return Math.min(ownMs, databaseMs);
  };

  /** A day after the newest record, plus the time that has passed since this process first saw the record. */
  const latestPlausible = (newestMs: number): number => {
    const elapsedMs = performance.now();
    if (newest?.ms !== newestMs) newest = { ms: newestMs, seenAtMs: elapsedMs };
    return Math.floor(newestMs + DAY_MS + elapsedMs - newest.seenAtMs);
  };

  return async () => {
    const clockMs = await readClocks();
    const newestMs = await endOfRecords(db, 'newest');
    return {
      clockMs,
      nowMs: Math.min(clockMs, newestMs === null ? clockMs : latestPlausible(newestMs)),
    };
  };
}
