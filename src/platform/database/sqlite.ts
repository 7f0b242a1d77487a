import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';

const SQLITE_BUSY = 5;

/** Whether another connection held the file locked. */
export const isSqliteBusy = (error: unknown): boolean => sqliteErrorCode(error) === SQLITE_BUSY;

/** The primary result code of an SQLite error; undefined for any other error. */
export function sqliteErrorCode(error: unknown): number | undefined {
  if (!(error instanceof Error && 'errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

/** Runs `work` in one transaction that takes the write lock at once. Rolls back if it throws. */
export function inTransaction<T>(writer: DatabaseSync, work: () => T): T {
  writer.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    writer.exec('COMMIT');
    return result;
  } catch (error) {
    rollBack(writer);
    throw error;
  }
}

/** Rolls back a transaction if one is open: on a full disk, SQLite may already have done so. */
export function rollBack(writer: DatabaseSync): void {
  if (writer.isOpen && writer.isTransaction) writer.exec('ROLLBACK');
}

/** A whole number that SQLite returned. Throws TypeError for any other value. */
export function toInteger(value: SQLOutputValue | undefined): number {
  if (typeof value === 'number') return value;
  throw new TypeError(`SQLite returned ${typeof value} instead of a number.`);
}
