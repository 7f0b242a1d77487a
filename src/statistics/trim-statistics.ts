import type { Kysely } from 'kysely';
import type { Tables } from '../platform/database/tables.ts';
import { KEY } from './statistics-rows.ts';
import { MINUTES_KEPT_MS, STEP_MS, type Step } from './steps.ts';

const ROWS_AT_ONCE = 300;

/**
 * Deletes some of the rows that are too old: minutes after two days, hours and days once retention has deleted all of
 * their records. Returns how many; 0 if none is left.
 */
export async function trimStatistics(db: Kysely<Tables>, nowMs: number): Promise<number> {
  const sweptMs = await sweptBefore(db);
  const { numDeletedRows } = await db
    .deleteFrom('statistics')
    .where(({ eb, refTuple, selectFrom }) => {
      const old = selectFrom('statistics')
        .select(KEY)
        .where((row) => {
          const isOld = (step: Step, beforeMs: number) =>
            row.and([row('step', '=', step), row('bucket_ms', '<', beforeMs)]);
          return row.or([
            isOld('minute', nowMs - MINUTES_KEPT_MS),
            isOld('hour', sweptMs - STEP_MS.hour + 1),
            isOld('day', sweptMs - STEP_MS.day + 1),
          ]);
        })
        .limit(ROWS_AT_ONCE);
      return eb(refTuple(...KEY), 'in', old.$asTuple(...KEY));
    })
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Follows retention, which does not trust a clock that is far ahead. */
async function sweptBefore(db: Kysely<Tables>): Promise<number> {
  const cutoff = await db.selectFrom('audit_retention').select('cutoff_ms').executeTakeFirst();
  return cutoff?.cutoff_ms ?? 0;
}
