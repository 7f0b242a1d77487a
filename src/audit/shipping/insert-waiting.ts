import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { Tables } from '../../platform/database/tables.ts';
import { COUNTED_COLUMNS } from '../record/counted-record.ts';
import type { WaitingTable } from './waiting-table.ts';

const COUNTED = sql.join(COUNTED_COLUMNS.map((name) => sql.ref(name)));

/**
 * Inserts consecutive rows of a waiting table into the table of the same name, and leaves existing rows unchanged;
 * the others wait to be counted by the statistics.
 * Resolves with null once the server has the rows, or with the reason why it will never accept them in this form.
 * Rejects if the server, and not a row, is the cause.
 */
export async function insertWaiting(
  db: Kysely<Tables>,
  table: WaitingTable,
  rowids: readonly number[],
): Promise<string | null> {
  const json = jsonOf(table, rowids);
  if (json instanceof Error) return json.message;
  try {
    // In the same statement, so that a record is counted exactly if it is inserted.
    await sql`
      with inserted as (
        insert into ${sql.table(table.name)}
        select * from json_populate_recordset(null::${sql.table(table.name)}, ${json}::json)
        on conflict (${sql.ref(table.key)}) do nothing
        returning ${COUNTED}
      )
      insert into statistics_waiting (${COUNTED}) select ${COUNTED} from inserted`.execute(db);
    return null;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && isDataError(error.code ?? ''))) throw error;
    return `${error.code}: ${error.message}`;
  }
}

function jsonOf(table: WaitingTable, rowids: readonly number[]): string | Error {
  try {
    return JSON.stringify(table.read(rowids));
  } catch (error) {
    if (isTooLargeForJavaScript(error)) return error;
    throw error;
  }
}

/** A number beyond 2^53, or a string beyond the maximum length. */
const isTooLargeForJavaScript = (error: unknown): error is Error =>
  error instanceof RangeError ||
  (error instanceof Error && 'code' in error && error.code === 'ERR_STRING_TOO_LONG');

/**
 * SQLSTATE classes 22 (data exception), 23 (constraint) and 54 (program limit): the rows are the cause. A missing table,
 * permission, disk space or memory is the server's.
 */
const isDataError = (sqlState: string): boolean => /^(?:22|23|54)/.test(sqlState);

/** SQLSTATE 25006: a standby, or a read-only server. */
export const isReadOnly = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '25006';
