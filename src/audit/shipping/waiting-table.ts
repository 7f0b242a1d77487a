import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { GatewayError } from '../../platform/kernel/error.ts';

type Columns = Readonly<Record<string, SQLOutputValue>>;

/** The oldest rows of a waiting table, in order. */
export interface WaitingBatch {
  readonly rowids: readonly number[];
  /** Of their texts together. */
  readonly bytes: number;
}

/** A table of `audit.db` whose rows wait for the table of the same name in PostgreSQL. Rows are only ever added. */
export interface WaitingTable {
  readonly name: string;
  /** Its unique column, by which PostgreSQL knows a row that it has already. */
  readonly key: string;
  /** As many of the oldest rows as fit into both limits, but at least one, without reading their texts. */
  next(maxRows: number, maxBytes: number): WaitingBatch;
  /** Consecutive rows. Throws RangeError for a row that JavaScript cannot hold. */
  read(rowids: readonly number[]): readonly Columns[];
  /** Deletes consecutive rows; returns their number. */
  remove(rowids: readonly number[]): number;
}

export function openWaitingTable(writer: DatabaseSync, name: string, key: string): WaitingTable {
  const bytes = columnsOf(writer, name).map((column) => `coalesce(octet_length(${column}), 0)`);
  const measure = writer.prepare(
    `SELECT rowid, ${bytes.join(' + ')} AS bytes FROM ${name} ORDER BY rowid LIMIT ?`,
  );
  const select = writer.prepare(`SELECT * FROM ${name} WHERE rowid BETWEEN ? AND ? ORDER BY rowid`);
  const remove = writer.prepare(`DELETE FROM ${name} WHERE rowid BETWEEN ? AND ?`);
  return {
    name,
    key,
    next: (maxRows, maxBytes) => fitting(measure.all(maxRows), maxBytes),
    read: (rowids) => select.all(...ends(rowids)),
    remove: (rowids) => integer(remove.run(...ends(rowids)).changes),
  };
}

function fitting(rows: readonly Columns[], maxBytes: number): WaitingBatch {
  const rowids: number[] = [];
  let sum = 0;
  for (const row of rows) {
    const bytes = integer(row['bytes']);
    if (rowids.length > 0 && sum + bytes > maxBytes) break;
    rowids.push(integer(row['rowid']));
    sum += bytes;
  }
  return { rowids, bytes: sum };
}

/** An empty range for no rows. */
const ends = (rowids: readonly number[]): [number, number] => [rowids[0] ?? 1, rowids.at(-1) ?? 0];

/** Names of a table's columns. */
export const columnsOf = (writer: DatabaseSync, table: string): string[] =>
  writer
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => String(name));

/** A whole number that SQLite gave back. */
export function integer(value: SQLOutputValue | undefined): number {
  if (typeof value === 'number') return value;
  throw new GatewayError('internal');
}
