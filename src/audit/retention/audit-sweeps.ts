import { type Kysely, sql } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { AuditSweepsTable, Tables } from '../../platform/database/tables.ts';
import { auditIdAt, auditIdTime } from '../record/audit-id-time.ts';

/** How far sweeps have deleted, and how far an operator has approved. */
export type SweepState = Omit<AuditSweepsTable, 'id'>;

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
  const { numUpdatedRows } = await runQuery(() =>
    db
      .updateTable('audit_sweeps')
      .set(after)
      .where('id', '=', 1)
      .where(
        'swept_before_ms',
        before.swept_before_ms === null ? 'is' : '=',
        before.swept_before_ms,
      )
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
