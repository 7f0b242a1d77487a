import type { DatabaseSync } from 'node:sqlite';

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
