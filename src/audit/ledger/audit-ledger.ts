import type { DatabaseSync } from 'node:sqlite';
import type { DiskReserve } from '../../platform/database/disk-reserve.ts';
import { sqliteErrorCode } from '../../platform/database/sqlite.ts';
import type { AuditRecordsTable } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { type Clock, isoTimeOrNull } from '../../platform/kernel/time.ts';
import type { AuditFile } from '../record/audit-file.ts';
import type { AuditRecord, LedgerStats, Unstored } from '../record/audit-record.ts';
import { toRow } from '../record/audit-row.ts';
import type { AuditOutbox } from '../shipping/audit-outbox.ts';
import { type BatchEntry, createBatchWriter, createOutboxWriter } from './audit-batch.ts';

/** Bounds the wait of the first record of a batch: eight turns of a busy event loop are about a millisecond. */
const MAX_TURNS = 8;

export interface AuditLedgerDeps {
  readonly file: AuditFile;
  readonly clock: Clock;
  /** Disk space reserved for the records of calls in progress. */
  readonly disk?: DiskReserve | undefined;
  /** Set if the records are shipped to PostgreSQL. */
  readonly outbox?: AuditOutbox | undefined;
  /** Called after every commit with its rows. Must not throw. */
  readonly onCommitted?: ((rows: readonly AuditRecordsTable[]) => void) | undefined;
  /** Called once with the reason when records can no longer be written, and once with null when they can again. */
  readonly onDegraded?: ((reason: string | null) => void) | undefined;
}

export type LocalLedger = ReturnType<typeof createAuditLedger>;

/** The records that the next commit will contain. */
interface Batch {
  readonly entries: BatchEntry[];
  readonly committed: PromiseWithResolvers<Unstored | undefined>;
}

const newBatch = (): Batch => ({ entries: [], committed: Promise.withResolvers() });

/** The audit ledger over `audit.db`. */
export function createAuditLedger(deps: AuditLedgerDeps) {
  const { clock, outbox, onCommitted } = deps;
  const writer = createLedgerWriter(deps);
  let pending = newBatch();
  let calls = 0;
  let records = 0;
  let refused = 0;
  let lastWriteMs: number | null = null;
  let closed = false;

  const flush = (): void => {
    const { entries, committed } = pending;
    if (entries.length === 0) return;
    pending = newBatch();
    let rows: readonly AuditRecordsTable[];
    try {
      rows = writer.write(entries);
    } catch (error) {
      committed.reject(refusal(writer.health.reason(), error));
      return;
    }
    records += rows.length;
    outbox?.added(rows);
    onCommitted?.(rows);
    lastWriteMs = clock.now();
    committed.resolve(rows.length === entries.length ? undefined : unstoredOf(entries));
  };

  /**
   * All records of a batch share one commit, which costs as much as writing two records. So the batch waits one more
   * turn of the event loop as long as the last turn added records.
   */
  const gather = (before: number, turns: number): void => {
    const { length } = pending.entries;
    if (length > before && turns < MAX_TURNS) setImmediate(gather, length, turns + 1);
    else flush();
  };

  const refusalNow = (): GatewayError | null =>
    closed ? new GatewayError('overloaded', 'The gateway is shutting down.') : writer.refusal();

  return {
    assertWritable: (): void => {
      const error = refusalNow();
      if (error === null) return;
      refused++;
      throw error;
    },
    isWritable: (): boolean => refusalNow() === null,
    append: (record: AuditRecord): Promise<Unstored | undefined> => {
      calls++;
      if (closed) return Promise.reject(refusal('closed'));
      const { entries, committed } = pending;
      try {
        entries.push({ row: toRow(record) });
      } catch (cause) {
        return Promise.reject(unstorable(cause));
      }
      if (entries.length === 1) setImmediate(gather, 1, 1);
      return committed.promise;
    },
    stats: (): LedgerStats => ({
      queued: pending.entries.length,
      outbox: outbox?.count() ?? 0,
      calls,
      records,
      missing: calls - records - pending.entries.length,
      refused,
      lastWriteAt: isoTimeOrNull(lastWriteMs),
      degraded: writer.health.reason(),
    }),
    /** Commits the pending records and refuses later ones. */
    close: async (): Promise<void> => {
      flush();
      closed = true;
      writer.health.stop();
    },
  };
}

/** Writes batches, and degrades the ledger when it cannot. */
function createLedgerWriter(deps: AuditLedgerDeps) {
  const { file, disk, outbox } = deps;
  const writeBatch = outbox
    ? createOutboxWriter(file.writer, outbox)
    : createBatchWriter(file.writer);
  const health = createLedgerHealth(deps);

  /** The calls of these records have already been sent. They use the reserved space, and no new call is accepted. */
  const writeWithReserve = (batch: readonly BatchEntry[]): readonly AuditRecordsTable[] => {
    try {
      return writeBatch(batch);
    } catch (error) {
      if (!mayLackSpace(error) || !disk?.release()) throw error;
      const written = writeBatch(batch);
      health.degrade(DISK_FULL);
      return written;
    }
  };

  return {
    health,
    /** Why no record can be written now; null if one can. */
    refusal: (): GatewayError | null => {
      const reason = health.reason();
      if (reason !== null) return refusal(reason);
      return outbox?.isFull() ? new GatewayError('overloaded', OUTBOX_FULL) : null;
    },
    write: (batch: readonly BatchEntry[]): readonly AuditRecordsTable[] => {
      try {
        return writeWithReserve(batch);
      } catch (error) {
        health.degrade(reasonOf(error));
        throw error;
      }
    },
  };
}

const unstoredOf = (entries: readonly BatchEntry[]): Unstored =>
  new Map(
    entries
      .filter(({ error }) => error !== undefined)
      .map(({ row, error }) => [row.audit_id, unstorable(error)]),
  );

const unstorable = (cause: unknown): GatewayError =>
  new GatewayError('internal', undefined, { cause });

const OUTBOX_FULL =
  'The database has been unavailable for so long that no more audit records can be queued, so calls are refused until it is back.';

function refusal(reason: string | null, cause?: unknown): GatewayError {
  const until = reason === DISK_FULL ? 'disk space is available' : 'it can be written again';
  return new GatewayError(
    'overloaded',
    `The audit log cannot be written (${reason}), so calls are refused until ${until}.`,
    { cause },
  );
}

const PROBE_INTERVAL_MS = 1000;

/** Whether records can be written. While they cannot, it tries every second until they can. */
function createLedgerHealth({ file: { writer }, disk, onDegraded }: AuditLedgerDeps) {
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

  return {
    /** Why records cannot be written; null while they can. */
    reason: (): string | null => degraded,
    degrade,
    /** Stops trying. */
    stop: (): void => clearInterval(probe),
  };
}

/** Large enough to prove free space. The probe leaves nothing behind. */
function writeProbe(writer: DatabaseSync): void {
  writer.exec(
    `CREATE TABLE IF NOT EXISTS audit_probe (filler BLOB);
     INSERT INTO audit_probe VALUES (zeroblob(65536));
     DROP TABLE audit_probe`,
  );
}

const DISK_FULL = 'disk full';
const SQLITE_REASONS: Readonly<Record<number, string>> = {
  5: 'locked by another process',
  8: 'read-only',
  10: 'disk error',
  11: 'file damaged',
  13: DISK_FULL,
};

/** Why SQLite cannot write, in words for the operator. */
const reasonOf = (error: unknown): string => SQLITE_REASONS[sqliteErrorCode(error) ?? 0] ?? 'error';

/** SQLite reports a full disk as an I/O error when it extends a file other than by writing to it. */
const mayLackSpace = (error: unknown): boolean => [10, 13].includes(sqliteErrorCode(error) ?? 0);
