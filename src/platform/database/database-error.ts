import pg from 'pg';
import { GatewayError } from '../kernel/error.ts';
import { sqliteErrorCode } from './sqlite.ts';

/** Runs a query of a store. A failure becomes GatewayError `unavailable` if a retry may help, else `internal`. */
export async function runQuery<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    if (isStatementError(error)) throw new GatewayError('internal', undefined, { cause: error });
    throw new GatewayError('unavailable', 'The database is unavailable; retry in a moment.', {
      cause: error,
    });
  }
}

/** SQLSTATE classes and codes of a server that is away, starts, stops, or has no connection left; or of a query too slow for it. */
const OUTAGE_STATES = /^(?:08|53300|57014|57P0[1-3])/;
/** What the client library reports without a code. */
const OUTAGE_MESSAGES =
  /^(?:timeout e|Connection terminated|Query read timeout|Client has encountered a connection error)/;
const SOCKET_CODES: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Whether PostgreSQL was silent, so that the same may succeed later. It is no outage if the server has refused. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof pg.DatabaseError) return OUTAGE_STATES.test(error.code ?? '');
  if (error instanceof AggregateError) return error.errors.every(isOutage);
  const { code, syscall } = error as NodeJS.ErrnoException;
  // The path of a Unix socket may be missing.
  if (SOCKET_CODES.has(code) || syscall === 'connect') return true;
  return OUTAGE_MESSAGES.test(error.message) || isOutage(error.cause);
}

/** SQLSTATE classes of a statement or data that is wrong, on a connection that works. */
const STATEMENT_ERROR = /^(?:0A|2[1-8]|3[F4]|42|44|P0|XX)/;

/** The result codes of SQLite for the same: ERROR, TOOBIG, CONSTRAINT, MISMATCH, MISUSE, RANGE. */
const SQLITE_STATEMENT_ERRORS: ReadonlySet<number> = new Set([1, 18, 19, 20, 21, 25]);

/** Whether the statement or its data is wrong, so that a retry would fail again. Anything else is an outage. */
export function isStatementError(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return STATEMENT_ERROR.test(error.code ?? '');
  const sqliteCode = sqliteErrorCode(error);
  if (sqliteCode !== undefined) return SQLITE_STATEMENT_ERRORS.has(sqliteCode);
  return error instanceof TypeError || error instanceof SyntaxError;
}
