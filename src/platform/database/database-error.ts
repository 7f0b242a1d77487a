import pg from 'pg';
import { GatewayError } from '../kernel/error.ts';
import { sqliteErrorCode } from './sqlite-error.ts';

/** Runs a store's query; a failure becomes GatewayError `unavailable` when retrying may help, else `internal`. */
export async function runQuery<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    if (isFaultOfOurs(error)) throw new GatewayError('internal', undefined, { cause: error });
    throw new GatewayError('unavailable', 'The database is unavailable; retry in a moment.', {
      cause: error,
    });
  }
}

/** SQLSTATE classes by which a working connection tells that the statement or its data is wrong. */
const STATEMENT_FAULT = /^(?:0A|2[1-8]|3[F4]|42|44|P0|XX)/;

/** SQLite's codes for the same: ERROR, TOOBIG, CONSTRAINT, MISMATCH, MISUSE, RANGE. */
const SQLITE_STATEMENT_FAULTS: ReadonlySet<number> = new Set([1, 18, 19, 20, 21, 25]);

/** True when repeating the same statement must fail again, so that it is no outage. */
export function isFaultOfOurs(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return STATEMENT_FAULT.test(error.code ?? '');
  const sqliteCode = sqliteErrorCode(error);
  if (sqliteCode !== undefined) return SQLITE_STATEMENT_FAULTS.has(sqliteCode);
  return error instanceof TypeError || error instanceof SyntaxError;
}
