import type { DatabaseSync } from 'node:sqlite';
import type { DiskReserve } from '../../platform/database/disk-reserve.ts';
import { sqliteErrorCode } from '../../platform/database/sqlite-error.ts';

const PROBE_INTERVAL_MS = 1000;

export interface LedgerHealthDeps {
  readonly writer: DatabaseSync;
  /** Disk space reserved for the records of calls in progress. */
  readonly disk?: DiskReserve | undefined;
  /** Called once with the reason when records can no longer be written, and once with null when they can again. */
  readonly onDegraded?: ((reason: string | null) => void) | undefined;
}

/** Whether records can be written. While they cannot, it tries every second until they can. */
export interface LedgerHealth {
  /** Why records cannot be written; null while they can. */
  reason(): string | null;
  degrade(reason: string): void;
  /** Stops trying. */
  stop(): void;
}

export function createLedgerHealth({ writer, disk, onDegraded }: LedgerHealthDeps): LedgerHealth {
  let degraded: string | null = null;
  let probe: NodeJS.Timeout | undefined;

  const degrade = (reason: string): void => {
    const isNew = degraded === null;
    degraded = reason;
    if (isNew) onDegraded?.(degraded);
    probe ??= setInterval(tryAgain, PROBE_INTERVAL_MS).unref();
  };

  const tryAgain = (): void => {
    if (disk && !disk.restore()) return;
    try {
      writeProbe(writer);
    } catch (error) {
      degraded = reasonOf(error);
      return;
    }
    degraded = null;
    onDegraded?.(null);
    clearInterval(probe);
    probe = undefined;
  };

  disk?.watch(() => {
    if (degraded === null) degrade(DISK_FULL);
  });

  return { reason: () => degraded, degrade, stop: () => clearInterval(probe) };
}

/** Large enough to prove free space. The probe leaves nothing behind. */
function writeProbe(writer: DatabaseSync): void {
  writer.exec(
    `CREATE TABLE IF NOT EXISTS audit_probe (filler BLOB);
     INSERT INTO audit_probe VALUES (zeroblob(65536));
     DROP TABLE audit_probe`,
  );
}

export const DISK_FULL = 'disk full';
const SQLITE_REASONS: Readonly<Record<number, string>> = {
  5: 'locked by another process',
  8: 'read-only',
  10: 'disk error',
  11: 'file damaged',
  13: DISK_FULL,
};

/** Why SQLite cannot write, in words for the operator. */
export const reasonOf = (error: unknown): string =>
  SQLITE_REASONS[sqliteErrorCode(error) ?? 0] ?? 'error';

/** SQLite reports a full disk as an I/O error when it extends a file other than by writing to it. */
export const mayLackSpace = (error: unknown): boolean =>
  [10, 13].includes(sqliteErrorCode(error) ?? 0);
