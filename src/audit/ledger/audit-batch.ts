import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isStatementError } from '../../platform/database/database-error.ts';
import { rollBack, toInteger } from '../../platform/database/sqlite.ts';
import type { AuditRecordsTable } from '../../platform/database/tables.ts';
import { RECORD_COLUMNS } from '../record/audit-row.ts';
import type { AuditOutbox } from '../shipping/audit-outbox.ts';

export interface BatchEntry {
  readonly row: AuditRecordsTable;
  /** Set by the writer if this row, and not the file, cannot be written. */
  error?: unknown;
}

/** Writes rows in one transaction, and returns what was written. A row that cannot be stored is marked and left out; any other error is thrown. */
export function createBatchWriter(
  writer: DatabaseSync,
): (batch: readonly BatchEntry[]) => readonly AuditRecordsTable[] {
  const transact = prepareTransaction(writer);
  // Binds by position: binding 25 values by name takes four times as long.
  const insert = writer.prepare(
    `INSERT INTO audit_records (n, ${RECORD_COLUMNS.join(', ')})
     VALUES (?, ${RECORD_COLUMNS.map(() => '?').join(', ')})`,
  );
  /** SQLite would give the numbers of the newest records again once retention has deleted them. */
  let lastN = newestN(writer);
  return (batch) => {
    const rows: AuditRecordsTable[] = [];
    transact(() => {
      for (const entry of batch) {
        if (insertOne(insert, lastN + rows.length + 1, entry)) rows.push(entry.row);
      }
    });
    lastN += rows.length;
    return rows;
  };
}

/** Writes rows to the outbox of PostgreSQL in one transaction. A row that PostgreSQL refuses becomes a dead letter. */
export function createOutboxWriter(
  writer: DatabaseSync,
  outbox: Pick<AuditOutbox, 'store'>,
): (batch: readonly BatchEntry[]) => readonly AuditRecordsTable[] {
  const transact = prepareTransaction(writer);
  return (batch) =>
    transact(() => {
      const rows = batch.map(({ row }) => row);
      outbox.store(rows);
      return rows;
    });
}

function prepareTransaction(writer: DatabaseSync) {
  const begin = writer.prepare('BEGIN IMMEDIATE');
  const commit = writer.prepare('COMMIT');
  return <T>(work: () => T): T => {
    try {
      begin.run();
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      rollBack(writer);
      throw error;
    }
  };
}

/** The largest number that a record has had. */
function newestN(writer: DatabaseSync): number {
  const row = writer
    .prepare(
      `SELECT max(coalesce((SELECT max(n) FROM audit_records), 0),
         coalesce((SELECT max(up_to) FROM audit_seals), 0)) AS n`,
    )
    .get();
  return toInteger(row?.['n']);
}

/** Returns whether the row was stored. */
function insertOne(insert: StatementSync, n: number, entry: BatchEntry): boolean {
  try {
    insert.run(n, ...Object.values(entry.row));
    return true;
  } catch (error) {
    // A failed statement undoes only itself; the rest of the transaction stands.
    if (!isStatementError(error)) throw error;
    entry.error = error;
    return false;
  }
}
