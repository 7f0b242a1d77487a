import type { SQLOutputValue } from 'node:sqlite';
import { GatewayError } from '../kernel/error.ts';
import type { AuditFile } from './audit-file.ts';

/** A waiting record: its place in the outbox, and its columns. */
export interface OutboxRow {
  readonly rowid: number;
  readonly columns: Readonly<Record<string, SQLOutputValue>>;
}

/** The records of `audit.db` that PostgreSQL does not have yet. */
export interface AuditOutbox {
  count(): number;
  isFull(): boolean;
  /** Told by the ledger of records it committed. */
  added(count: number): void;
  /** The oldest records after that place. */
  read(afterRowid: number, limit: number): readonly OutboxRow[];
  /** Forgets the records from one place to another, inclusive. */
  remove(firstRowid: number, lastRowid: number): void;
}

export function createAuditOutbox(deps: { file: AuditFile; maxRecords: number }): AuditOutbox {
  const { file, maxRecords } = deps;
  const select = file.writer.prepare(
    'SELECT rowid, * FROM audit_records WHERE rowid > ? ORDER BY rowid LIMIT ?',
  );
  const remove = file.writer.prepare('DELETE FROM audit_records WHERE rowid BETWEEN ? AND ?');
  // Counting five million records takes a moment, so they are counted once.
  let waiting = integer(
    file.writer.prepare('SELECT count(*) AS n FROM audit_records').get()?.['n'],
  );
  return {
    count: () => waiting,
    isFull: () => waiting >= maxRecords,
    added: (count) => {
      waiting += count;
    },
    read: (afterRowid, limit) =>
      select.all(afterRowid, limit).map(({ rowid, ...columns }) => ({
        rowid: integer(rowid),
        columns,
      })),
    remove: (firstRowid, lastRowid) => {
      waiting -= integer(remove.run(firstRowid, lastRowid).changes);
      file.giveBackSpace();
    },
  };
}

function integer(value: SQLOutputValue | undefined): number {
  if (typeof value === 'number') return value;
  throw new GatewayError('internal');
}
