import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { Tables } from '../../platform/database/tables.ts';
import { RECORD_COLUMNS } from '../record/audit-row.ts';
import { type AuditOutbox, countOf, rowsOf, type WaitingBatch } from './audit-outbox.ts';
import type { DeadLetters, RefusedRecord } from './dead-letters.ts';

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

  /** Resolves with the records that PostgreSQL refuses. It has the others. */
  const insert = async (batch: WaitingBatch): Promise<readonly RefusedRecord[]> => {
    const all = recordJoin.join(batch.map(({ records }) => records));
    if ((await refusalFrom(insertRecords(db, all))) === undefined) return [];
    const refused: RefusedRecord[] = [];
    for (const row of batch.flatMap(rowsOf)) {
      const reason = await refusalFrom(insertRecords(db, JSON.stringify([row])));
      if (reason !== undefined) refused.push({ row, reason });
    }
    return refused;
  };

  return {
    /**
     * Resolves with the number of records that left the outbox; undefined if nothing waits. Rejects if the server cannot
     * accept them. Rows are removed only after PostgreSQL has committed them, and inserting them again has no effect.
     */
    ship: async (): Promise<number | undefined> => {
      const batch = outbox.next(maxRecords, MAX_BATCH_CHARACTERS);
      if (batch.length === 0) return undefined;
      const refused = await insert(batch);
      if (refused.length === 0) outbox.remove(batch);
      else deadLetters.bury(refused, () => outbox.remove(batch));
      outbox.removed(batch);
      for (const { reason } of refused) onBuried(reason);
      maxRecords = Math.min(maxRecords * 2, MAX_BATCH_RECORDS);
      return countOf(batch);
    },
    /** Halves the batches after a failure, down to one entry, so that a server short of memory or time gets less at once. */
    halve: (): void => {
      maxRecords = Math.max(1, maxRecords >> 1);
    },
  };
}

const COLUMNS = sql.join(RECORD_COLUMNS.map((name) => sql.ref(name)));

/** Inserts a JSON array of records. */
const insertRecords = (db: Kysely<Tables>, records: Buffer | string): Promise<unknown> =>
  sql`
    insert into audit_records (${COLUMNS})
    select ${COLUMNS} from json_populate_recordset(null::audit_records, ${records}::json)
    on conflict (audit_id) do nothing`.execute(db);

/**
 * Why PostgreSQL refused the records: SQLSTATE classes 22 (data exception), 23 (constraint) and 54 (program limit). Rejects if
 * the server is the cause: a missing table, permission, disk space or memory.
 */
async function refusalFrom(inserted: Promise<unknown>): Promise<string | undefined> {
  try {
    await inserted;
    return undefined;
  } catch (error) {
    const isRefusal = error instanceof pg.DatabaseError && /^(?:22|23|54)/.test(error.code ?? '');
    if (!isRefusal) throw error;
    return `${error.code}: ${error.message}`;
  }
}

/** SQLSTATE 25006: a standby, or a read-only server. */
export const isReadOnly = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '25006';

/** More than this is released when it is no longer used. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;
const FIRST_BYTES = 64 * 1024;

/**
 * Joins JSON arrays in one, in memory that is used again: new memory for each batch would make garbage as fast as records are
 * shipped. As strings, they would be large objects, which only a full garbage collection frees.
 */
export class RecordJoin {
  #memory = Buffer.allocUnsafeSlow(FIRST_BYTES);

  /** Joins arrays that are not empty. The result is valid until the next call. */
  join(arrays: readonly string[]): Buffer {
    if (this.#memory.length > MAX_KEPT_BYTES) this.#memory = Buffer.allocUnsafeSlow(FIRST_BYTES);
    let used = 0;
    for (const array of arrays) {
      const needed = used + Buffer.byteLength(array);
      if (needed > this.#memory.length) {
        const larger = Buffer.allocUnsafeSlow(2 * needed);
        this.#memory.copy(larger, 0, 0, used);
        this.#memory = larger;
      }
      // The comma takes the place of the bracket that ended the array before.
      if (used > 0) this.#memory.write(',', used - 1);
      used += this.#memory.write(used > 0 ? array.slice(1) : array, used);
    }
    return this.#memory.subarray(0, used);
  }
}
