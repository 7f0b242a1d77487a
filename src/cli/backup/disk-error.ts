import { sqliteErrorCode } from '../../platform/database/sqlite.ts';
import { StartupError } from '../../platform/kernel/error.ts';

/** A failure of the file system or of SQLite, as an operator reads it. Any other error is returned unchanged. */
export function describeDiskError(error: unknown, what: string): unknown {
  if (!(error instanceof Error)) return error;
  const isSqlite = sqliteErrorCode(error) !== undefined;
  if (!isSqlite && !('syscall' in error && 'code' in error)) return error;
  const reason = isSqlite || !('code' in error) ? error.message : error.code;
  return new StartupError(
    `${what} (${reason}). Check that the directory can be written and that its disk has space.`,
    { cause: error },
  );
}
