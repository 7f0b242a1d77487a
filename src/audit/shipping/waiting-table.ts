import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { toInteger } from '../../platform/database/sqlite-value.ts';

type Columns = Readonly<Record<string, SQLOutputValue>>;

/** The oldest rows of a waiting table, in order. */
export interface WaitingBatch {
  readonly rowids: readonly number[];
  /** Total size of their values. */
  readonly bytes: number;
}

/** A table of `audit.db` whose rows wait to be copied to the PostgreSQL table of the same name. Its rows never change. */
export interface WaitingTable {
  readonly name: string;
  /** Its unique column, by which PostgreSQL recognises a row that it already has. */
  readonly key: string;
  /** As many of the oldest rows as both limits allow, but at least one. Does not read their values. */
  next(maxRows: number, maxBytes: number): WaitingBatch;
  /** Reads consecutive rows. Throws RangeError for a row that JavaScript cannot represent. */
  read(rowids: readonly number[]): readonly Columns[];
  /** Deletes consecutive rows and returns how many there were. */
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
    remove: (rowids) => toInteger(remove.run(...ends(rowids)).changes),
  };
}

function fitting(rows: readonly Columns[], maxBytes: number): WaitingBatch {
  const rowids: number[] = [];
  let sum = 0;
  for (const row of rows) {
    const bytes = toInteger(row['bytes']);
    if (rowids.length > 0 && sum + bytes > maxBytes) break;
    rowids.push(toInteger(row['rowid']));
    sum += bytes;
  }
  return { rowids, bytes: sum };
}

/** The first and last row id; an empty range for no rows. */
const ends = (rowids: readonly number[]): [number, number] => [rowids[0] ?? 1, rowids.at(-1) ?? 0];

/** The names of a table's columns. */
export const columnsOf = (writer: DatabaseSync, table: string): string[] =>
  writer
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => String(name));
