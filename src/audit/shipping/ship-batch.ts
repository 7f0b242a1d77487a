import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { AuditRecordsTable, Tables } from '../../platform/database/tables.ts';
import { RECORD_COLUMNS } from '../record/audit-row.ts';
import { type AuditOutbox, countOf, type WaitingBatch } from './audit-outbox.ts';
import type { DeadLetters, RefusedRecord } from './dead-letters.ts';
import { RecordJoin, rowsOf } from './outbox-table.ts';

/** Reading a batch and sending it must not delay calls. A single commit may be larger. */
const MAX_BATCH_RECORDS = 500;
const MAX_BATCH_CHARACTERS = 1024 * 1024;

export interface BatchShipperDeps {
  readonly outbox: AuditOutbox;
  readonly deadLetters: DeadLetters;
  readonly db: Kysely<Tables>;
  /** Called with the reason why a row became a dead letter. */
  readonly onBuried: (reason: string) => void;
}

/** Moves the oldest records to PostgreSQL, one batch at a time. */
export function createBatchShipper(deps: BatchShipperDeps) {
  const { outbox, deadLetters, db, onBuried } = deps;
  const recordJoin = new RecordJoin();
  let maxRecords = MAX_BATCH_RECORDS;

  const shipTogether = async (batch: WaitingBatch): Promise<number> => {
    await insertRecords(db, recordJoin.join(batch));
    outbox.remove(batch);
    return countOf(batch);
  };

  const bury = (refused: readonly Refused[]): number => {
    for (const id of new Set(refused.map((record) => record.entryId))) {
      const ofEntry = refused.filter(({ entryId }) => entryId === id);
      const rows = ofEntry.map(({ row }) => row);
      deadLetters.bury(ofEntry, () => outbox.takeOut(id, rows));
      outbox.buried(rows);
      for (const { reason } of ofEntry) onBuried(reason);
    }
    return refused.length;
  };

  /** Returns how many rows are too large and became dead letters instead. */
  const pack = (): number => {
    const tooLarge = outbox.pack();
    for (const { n, tenantId, bytes } of tooLarge) {
      const reason = `The row has ${bytes} bytes.`;
      deadLetters.buryRow(n, reason);
      outbox.buriedRow(tenantId);
      onBuried(reason);
    }
    return tooLarge.length;
  };

  return {
    /**
     * Resolves with the number of records that left the outbox; undefined if nothing waits. Rejects if the server cannot
     * accept them. Rows are removed only after PostgreSQL has committed them, and inserting them again has no effect.
     */
    ship: async (): Promise<number | undefined> => {
      const tooLarge = pack();
      if (tooLarge > 0) return tooLarge;
      const batch = outbox.next(maxRecords, MAX_BATCH_CHARACTERS);
      if (batch.length === 0) return undefined;
      const left = await shipTogether(batch).catch(async (error: unknown) => {
        const refused =
          refusalOf(error) === undefined ? [] : await findRefused(db, recordsOf(batch));
        if (refused.length === 0) throw error;
        return bury(refused);
      });
      maxRecords = Math.min(maxRecords * 2, MAX_BATCH_RECORDS);
      return left;
    },
    /** Halves the batches after a failure, down to one entry, so that a server short of memory or time gets less at once. */
    halve: (): void => {
      maxRecords = Math.max(1, maxRecords >> 1);
    },
  };
}

/** A record that waits. */
interface WaitingRecord {
  readonly entryId: number;
  readonly row: AuditRecordsTable;
}

const recordsOf = (batch: WaitingBatch): WaitingRecord[] =>
  batch.flatMap((entry) => rowsOf(entry).map((row) => ({ entryId: entry.id, row })));

type Refused = WaitingRecord & RefusedRecord;

/** Searches by halves for the records that are refused, so that they do not block the others. Inserts nothing. */
async function findRefused(
  db: Kysely<Tables>,
  records: readonly WaitingRecord[],
): Promise<readonly Refused[]> {
  const [first] = records;
  const reason = await db
    .transaction()
    .execute(async (transaction) => {
      await insertRecords(transaction, JSON.stringify(records.map(({ row }) => row)));
      throw new Undo();
    })
    .catch((error: unknown) => {
      const refusal = refusalOf(error);
      if (refusal === undefined && !(error instanceof Undo)) throw error;
      return refusal;
    });
  if (reason === undefined || !first) return [];
  if (records.length === 1) return [{ ...first, reason }];
  const middle = records.length >> 1;
  const halves = [records.slice(0, middle), records.slice(middle)];
  const refused: Refused[] = [];
  for (const half of halves) refused.push(...(await findRefused(db, half)));
  return refused;
}

/** Ends a transaction without an effect. */
class Undo extends Error {}

const COLUMNS = sql.join(RECORD_COLUMNS.map((name) => sql.ref(name)));

/** Inserts a JSON array of records. */
export async function insertRecords(db: Kysely<Tables>, records: Buffer | string): Promise<void> {
  if (records.length === '[]'.length) return;
  await sql`
    insert into audit_records (${COLUMNS})
    select ${COLUMNS} from json_populate_recordset(null::audit_records, ${records}::json)
    on conflict (audit_id) do nothing`.execute(db);
}

/**
 * Why the records are the cause of an error, and not the server: SQLSTATE classes 22 (data exception), 23 (constraint) and 54
 * (program limit). A missing table, permission, disk space or memory is the server's.
 */
function refusalOf(error: unknown): string | undefined {
  const isRefusal = error instanceof pg.DatabaseError && /^(?:22|23|54)/.test(error.code ?? '');
  return isRefusal ? `${error.code}: ${error.message}` : undefined;
}

/** SQLSTATE 25006: a standby, or a read-only server. */
export const isReadOnly = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '25006';
