const SQLITE_BUSY = 5;

/** Whether another connection held the file locked. */
export const isSqliteBusy = (error: unknown): boolean => sqliteErrorCode(error) === SQLITE_BUSY;

/** The primary result code of an SQLite error; undefined for any other error. */
export function sqliteErrorCode(error: unknown): number | undefined {
  if (!(error instanceof Error && 'errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}
