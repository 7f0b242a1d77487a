import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isStatementError } from '../../platform/database/database-error.ts';
import { rollBack } from '../../platform/database/sqlite-transaction.ts';
import type { AuditRecordsTable } from '../../platform/database/tables.ts';
import type { ChainWriter } from '../chain/chain-writer.ts';
import type { AuditOutbox } from '../shipping/audit-outbox.ts';

export interface BatchEntry {
  readonly row: AuditRecordsTable;
  /** Set by the writer if this row, and not the file, cannot be written. */
  error?: unknown;
}

export interface WrittenBatch {
  readonly rows: readonly AuditRecordsTable[];
  /** Of the last one in `audit_records`; 0 without one. */
  readonly lastRowId: number;
}

/**
 * Writes rows and their link of the hash chain in one transaction, and returns what was written. A row that cannot be stored
 * is marked and left out; any other error is thrown.
 */
export function createBatchWriter(
  writer: DatabaseSync,
  chain: ChainWriter,
): (batch: readonly BatchEntry[]) => WrittenBatch {
  const transact = prepareTransaction(writer, chain);
  let insert: StatementSync | undefined;
  return (batch) =>
    transact(() => {
      const rows: AuditRecordsTable[] = [];
      let lastRowId = 0;
      for (const entry of batch) {
        insert ??= prepareInsert(writer, entry.row);
        const rowId = insertOne(insert, entry);
        if (rowId === undefined) continue;
        lastRowId = rowId;
        rows.push(entry.row);
      }
      chain.link(rows);
      return { rows, lastRowId };
    });
}

/**
 * Writes rows to the outbox of PostgreSQL and adds their link of the hash chain, in one transaction. A row that PostgreSQL
 * refuses becomes a dead letter.
 */
export function createOutboxWriter(
  writer: DatabaseSync,
  chain: ChainWriter,
  outbox: Pick<AuditOutbox, 'store'>,
): (batch: readonly BatchEntry[]) => WrittenBatch {
  const transact = prepareTransaction(writer, chain);
  return (batch) =>
    transact(() => {
      const rows = batch.map(({ row }) => row);
      for (const linked of chain.link(rows)) outbox.store(linked.rowid, linked.rows);
      return { rows, lastRowId: 0 };
    });
}

/** What runs work in a transaction that adds to the chain. If it fails, the chain is where it was. */
function prepareTransaction(writer: DatabaseSync, chain: ChainWriter) {
  const begin = writer.prepare('BEGIN IMMEDIATE');
  const commit = writer.prepare('COMMIT');
  return <T>(work: () => T): T => {
    try {
      begin.run();
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      chain.undo();
      rollBack(writer);
      throw error;
    }
  };
}

/** Binds by position: binding 23 values by name takes four times as long. */
function prepareInsert(writer: DatabaseSync, row: AuditRecordsTable): StatementSync {
  const columns = Object.keys(row);
  return writer.prepare(
    `INSERT INTO audit_records (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
}

/** The row id; undefined if the row cannot be stored. */
function insertOne(insert: StatementSync, entry: BatchEntry): number | undefined {
  try {
    return Number(insert.run(...Object.values(entry.row)).lastInsertRowid);
  } catch (error) {
    // A failed statement undoes only itself; the rest of the transaction stands.
    if (!isStatementError(error)) throw error;
    entry.error = error;
    return undefined;
  }
}
