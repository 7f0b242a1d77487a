import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { Tables } from '../../platform/database/tables.ts';
import type { WaitingTable } from './waiting-table.ts';

/** What came of an insert: the server has the rows, or will never have them in this form, and why. */
export type Insertion = { readonly refused: null } | { readonly refused: string };

/**
 * Inserts consecutive rows of a waiting table into the table of the same name; rows that are there already stay as
 * they are. Rejects when the server, and not a row, is the trouble.
 */
export async function insertWaiting(
  db: Kysely<Tables>,
  table: WaitingTable,
  rowids: readonly number[],
): Promise<Insertion> {
  const json = jsonOf(table, rowids);
  if (json instanceof Error) return { refused: json.message };
  try {
    await sql`
      insert into ${sql.table(table.name)}
      select * from json_populate_recordset(null::${sql.table(table.name)}, ${json}::json)
      on conflict (${sql.ref(table.key)}) do nothing`.execute(db);
    return { refused: null };
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && isDataFault(error.code ?? ''))) throw error;
    return { refused: `${error.code}: ${error.message}` };
  }
}

function jsonOf(table: WaitingTable, rowids: readonly number[]): string | Error {
  try {
    return JSON.stringify(table.read(rowids));
  } catch (error) {
    if (isTooMuchForJavaScript(error)) return error;
    throw error;
  }
}

/** A number beyond 2^53, or a text beyond the longest string. */
const isTooMuchForJavaScript = (error: unknown): error is Error =>
  error instanceof RangeError ||
  (error instanceof Error && 'code' in error && error.code === 'ERR_STRING_TOO_LONG');

/**
 * SQLSTATE classes 22 (data exception), 23 (constraint) and 54 (program limit): these rows, not the server, are the
 * trouble. A missing table, right, place on the disk or memory is not.
 */
const isDataFault = (sqlState: string): boolean => /^(?:22|23|54)/.test(sqlState);

/** SQLSTATE 25006: a standby, or a server set to read-only. */
export const isReadOnly = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '25006';
