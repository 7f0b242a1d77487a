import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { ALL_TENANTS } from '../tally/count-records.ts';
import { MINUTES_KEPT_MS, STEP_MS, type Step } from '../tally/steps.ts';

const ROWS_AT_ONCE = 300;

const KEY = ['step', 'scope', 'kind', 'bucket_ms', 'subject'] as const;

/**
 * Deletes some of the rows that are too old: minutes after two days, hours and days once retention has deleted all of
 * their records, uses once their day has ended. Returns how many; 0 if none is left.
 */
export async function trimStatistics(db: Kysely<Tables>, nowMs: number): Promise<number> {
  const sweptMs = await sweptBefore(db);
  const horizons: readonly Horizon[] = [
    { step: 'minute', beforeMs: nowMs - MINUTES_KEPT_MS },
    { step: 'hour', beforeMs: sweptMs - STEP_MS.hour + 1 },
    { step: 'day', beforeMs: sweptMs - STEP_MS.day + 1 },
    { step: 'day', beforeMs: nowMs - MINUTES_KEPT_MS, usesOnly: true },
  ];
  for (const horizon of horizons) {
    const deleted = await deleteSome(db, horizon);
    if (deleted > 0) return deleted;
  }
  return 0;
}

/**
 * Deletes some of the records on PostgreSQL that still wait to be counted after retention has deleted them: while counting
 * fails, no more wait than the audit log holds. Returns how many; 0 if none is left.
 */
export async function trimWaiting(db: Kysely<Tables>): Promise<number> {
  const sweptMs = await sweptBefore(db);
  const { numDeletedRows } = await db
    .deleteFrom('statistics_waiting')
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('statistics_waiting')
        .select('id')
        .where('timestamp_ms', '<', sweptMs)
        .limit(ROWS_AT_ONCE),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

interface Horizon {
  readonly step: Step;
  readonly beforeMs: number;
  readonly usesOnly?: boolean;
}

/** Follows retention, which does not trust a clock that is far ahead. */
async function sweptBefore(db: Kysely<Tables>): Promise<number> {
  const state = await db
    .selectFrom('audit_sweeps')
    .select('swept_before_ms')
    .executeTakeFirstOrThrow();
  return state.swept_before_ms ?? 0;
}

async function deleteSome(
  db: Kysely<Tables>,
  { step, beforeMs, usesOnly = false }: Horizon,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('statistics')
    .where(({ eb, refTuple, selectFrom }) => {
      const old = selectFrom('statistics')
        .select(KEY)
        .where('step', '=', step)
        .where('bucket_ms', '<', beforeMs)
        .$if(usesOnly, (query) => query.where('scope', '=', ALL_TENANTS).where('kind', '=', 'use'))
        .limit(ROWS_AT_ONCE);
      return eb(refTuple(...KEY), 'in', old.$asTuple(...KEY));
    })
    .executeTakeFirst();
  return Number(numDeletedRows);
}
