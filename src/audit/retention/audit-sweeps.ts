import { type Kysely, sql } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { AuditSweepsTable, Tables } from '../../platform/database/tables.ts';
import { auditIdAt, auditIdTime } from '../record/audit-record.ts';

export const DAY_MS = 86_400_000;

/** How far sweeps have deleted, and how far an operator has approved. */
type SweepState = Omit<AuditSweepsTable, 'id'>;

/** The state before a sweep. All times are in milliseconds since the epoch. */
export interface SweepFacts extends SweepState {
  /** The time according to the clocks. */
  readonly clockMs: number;
  /** The time that the sweep assumes: never later than the clocks. */
  readonly nowMs: number;
  readonly retentionMs: number;
  /** When the oldest record was created; null if the log is empty. */
  readonly oldestMs: number | null;
}

/**
 * How far a sweep may go: it deletes records created before `beforeMs`. One that would delete more than a day's worth of
 * records beyond the last one is refused, because the clock may be wrong. It then deletes a day's worth each day
 * (`isStep`), so that a wrong clock is noticed in time. An operator can approve the rest.
 */
export function planSweep(facts: SweepFacts) {
  const { clockMs, stepped_at_ms: steppedAtMs } = facts;
  const wantedMs = facts.nowMs - facts.retentionMs;
  const allowedMs = Math.max(facts.swept_before_ms ?? 0, facts.approved_before_ms ?? 0);
  // An empty log needs no caution.
  const reachedMs = Math.max(allowedMs, facts.oldestMs ?? wantedMs);
  if (wantedMs - reachedMs <= DAY_MS) {
    return { beforeMs: Math.max(wantedMs, allowedMs), isStep: false };
  }
  // If the clock was ahead at the last step and was set back, the next one must not wait.
  const isStep = steppedAtMs === null || Math.abs(clockMs - steppedAtMs) >= DAY_MS;
  return { beforeMs: isStep ? reachedMs + DAY_MS : allowedMs, isStep };
}

export function readSweepState(db: Kysely<Tables>): Promise<SweepState> {
  return runQuery(() =>
    db
      .selectFrom('audit_sweeps')
      .select(['swept_before_ms', 'stepped_at_ms', 'approved_before_ms'])
      .where('id', '=', 1)
      .executeTakeFirstOrThrow(),
  );
}

/** Returns false if another gateway has swept meanwhile. */
export async function claimSweep(
  db: Kysely<Tables>,
  before: SweepState,
  after: Pick<SweepState, 'swept_before_ms' | 'stepped_at_ms'>,
): Promise<boolean> {
  const { swept_before_ms: sweptMs } = before;
  const { numUpdatedRows } = await runQuery(() =>
    db
      .updateTable('audit_sweeps')
      .set(after)
      .where('id', '=', 1)
      .where('swept_before_ms', sweptMs === null ? 'is' : '=', sweptMs)
      .executeTakeFirst(),
  );
  return numUpdatedRows > 0n;
}

/** Allows the gateways to delete all records created before the given time at once. */
export async function approveSweep(db: Kysely<Tables>, beforeMs: number): Promise<void> {
  await runQuery(() =>
    db
      .updateTable('audit_sweeps')
      .set({ approved_before_ms: beforeMs })
      .where('id', '=', 1)
      .execute(),
  );
}

/** When the oldest or newest record was created, by its id; null if the log is empty. */
export async function endOfRecords(
  db: Kysely<Tables>,
  end: 'oldest' | 'newest',
): Promise<number | null> {
  const row = await runQuery(() =>
    db
      .selectFrom('audit_records')
      .select('audit_id')
      .orderBy('audit_id', end === 'oldest' ? 'asc' : 'desc')
      .limit(1)
      .executeTakeFirst(),
  );
  return row ? auditIdTime(row.audit_id) : null;
}

/** How many records were created before the given time. */
export async function countBefore(db: Kysely<Tables>, beforeMs: number): Promise<number> {
  const { count } = await runQuery(() =>
    db
      .selectFrom('audit_records')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('audit_id', '<', auditIdAt(beforeMs))
      .executeTakeFirstOrThrow(),
  );
  return count;
}

/** The clock of the PostgreSQL server. */
export async function readDatabaseClock(db: Kysely<Tables>): Promise<number> {
  const { rows } = await runQuery(() =>
    sql<{ ms: number }>`select (extract(epoch from now()) * 1000)::bigint as ms`.execute(db),
  );
  return rows[0]?.ms ?? Number.POSITIVE_INFINITY;
}
