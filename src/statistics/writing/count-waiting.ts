import { type Kysely, sql } from 'kysely';
import { COUNTED_COLUMNS, type CountedRecord } from '../../audit/record/counted-record.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { countRecords } from '../tally/count-records.ts';
import { STEPS } from '../tally/steps.ts';
import { addToPostgres, tryLock } from './postgres-rows.ts';

const RECORDS_AT_ONCE = 2000;

/** What one transaction has done. */
export interface CountedBatch {
  readonly records: number;
  /** Whether more records wait that this gateway can count. */
  readonly hasMore: boolean;
}

const NOTHING: CountedBatch = { records: 0, hasMore: false };

/**
 * Counts records on PostgreSQL. The statement that inserts a record also makes it wait here, and the transaction that
 * counts it removes it, so each record counts exactly if it was inserted. Does nothing while another gateway counts.
 */
export function countWaiting(db: Kysely<Tables>, minutesFromMs: number): Promise<CountedBatch> {
  return db.transaction().execute(async (transaction) => {
    if (!(await tryLock(transaction))) return NOTHING;
    const { audit_id: countedId, until_audit_id: untilId } = await readProgress(transaction);
    const records = await transaction
      .deleteFrom('statistics_waiting')
      .where('id', 'in', (query) =>
        query
          .selectFrom('statistics_waiting')
          .select('id')
          // Those between are counted with the old records.
          .where((eb) => eb.or([eb('audit_id', '<=', countedId), eb('audit_id', '>', untilId)]))
          .orderBy('id')
          .limit(RECORDS_AT_ONCE),
      )
      .returning(COUNTED_COLUMNS)
      .execute();
    await addToPostgres(transaction, countRecords(records, minutesFromMs, STEPS));
    return { records: records.length, hasMore: records.length === RECORDS_AT_ONCE };
  });
}

/**
 * Counts the next of the records on PostgreSQL that are older than the statistics. A record that is shipped late and
 * belongs among them is counted here if it is still ahead; it then must not wait any more. The snapshot of the
 * transaction decides which of the two applies to it.
 */
export function countOldRecords(db: Kysely<Tables>, minutesFromMs: number): Promise<CountedBatch> {
  const transaction = db.transaction().setIsolationLevel('repeatable read');
  return transaction.execute(async (inTransaction) => {
    if (!(await tryLock(inTransaction))) return NOTHING;
    const progress = await readProgress(inTransaction);
    const { audit_id: countedId, until_audit_id: untilId } = progress;
    if (untilId === '') return NOTHING;
    await inTransaction
      .deleteFrom('statistics_waiting')
      .where('audit_id', '>', countedId)
      .where('audit_id', '<=', untilId)
      .execute();
    const records = await readOld(inTransaction, countedId, untilId);
    await addToPostgres(inTransaction, countRecords(records, minutesFromMs, STEPS));
    const hasMore = records.length === RECORDS_AT_ONCE;
    const next = { audit_id: records.at(-1)?.audit_id ?? '' };
    await inTransaction
      .updateTable('statistics_progress')
      .set(hasMore ? next : { audit_id: '', until_audit_id: '' })
      .execute();
    return { records: records.length, hasMore };
  });
}

const readProgress = (db: Kysely<Tables>) =>
  db
    .selectFrom('statistics_progress')
    .select(['audit_id', 'until_audit_id'])
    .executeTakeFirstOrThrow();

const readOld = (db: Kysely<Tables>, afterId: string, untilId: string): Promise<CountedRecord[]> =>
  db
    .selectFrom('audit_records')
    .select(COUNTED_COLUMNS)
    .where('audit_id', '>', afterId)
    .where('audit_id', '<=', untilId)
    .orderBy('audit_id')
    .limit(RECORDS_AT_ONCE)
    .execute();

/** Whether any record waits; without a transaction, so that a gateway without calls costs one query. */
export async function hasWaiting(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from statistics_waiting) or exists (
      select from statistics_progress where until_audit_id <> ''
    ) as found`.execute(db);
  return rows[0]?.found === true;
}
