import type { DatabaseSync } from 'node:sqlite';
import type { DiskReserve } from '../../platform/database/disk-reserve.ts';
import { sqliteErrorCode } from '../../platform/database/sqlite-error.ts';
import type { AuditRecordsTable } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { type ChainWriter, createChainWriter } from '../chain/chain-writer.ts';
import type { AuditFile } from '../record/audit-file.ts';
import type { AuditLedger, AuditRecord, LedgerStats } from '../record/audit-record.ts';
import { toRow } from '../record/audit-row.ts';
import type { AuditOutbox } from '../shipping/audit-outbox.ts';
import { type BatchEntry, createBatchWriter } from './audit-batch.ts';

const PROBE_INTERVAL_MS = 1000;
/** Bounds how long the first record of a batch waits: eight turns of a busy loop are about a millisecond. */
const MAX_TURNS = 8;

export interface AuditLedgerDeps {
  readonly file: AuditFile;
  readonly clock: Clock;
  /** The chain of `file`, where others add to it as well. */
  readonly chain?: ChainWriter | undefined;
  /** Room for the records of calls under way when the disk fills up. */
  readonly disk?: DiskReserve | undefined;
  /** Set when records go on to PostgreSQL. */
  readonly outbox?: AuditOutbox | undefined;
  /** Told once why records cannot be written, and once, with null, when they can again. */
  readonly onDegraded?: ((reason: string | null) => void) | undefined;
}

/** `close` commits what waits, and refuses records from then on. */
export interface LocalLedger extends Omit<AuditLedger, 'stats'>, Closeable {
  stats(): LedgerStats;
  /** Commits what waits now, without waiting for the end of the event-loop turn. */
  flush(): void;
}

interface Pending extends BatchEntry {
  readonly resolve: () => void;
  readonly reject: (error: GatewayError) => void;
}

/** The audit ledger over `audit.db`. */
export function createAuditLedger(deps: AuditLedgerDeps): LocalLedger {
  const { file, clock, outbox, disk, chain = createChainWriter({ file, clock }) } = deps;
  const writeBatch = createBatchWriter(file.writer, chain);
  let pending: Pending[] = [];
  let calls = 0;
  let records = 0;
  let refused = 0;
  let lastWriteMs: number | null = null;
  let degraded: string | null = null;
  let probe: NodeJS.Timeout | undefined;
  let closed = false;

  const flush = (): void => {
    const batch = pending;
    pending = [];
    if (batch.length === 0) return;
    try {
      writeWithReserve(batch);
    } catch (error) {
      degrade(reasonOf(error));
      const failure = refusal(degraded, error);
      for (const entry of batch) entry.reject(failure);
      return;
    }
    const written = batch.filter((entry) => entry.fault === undefined).length;
    records += written;
    outbox?.added(written);
    lastWriteMs = clock.now();
    for (const entry of batch) settle(entry);
    keepAnchored();
  };

  const keepAnchored = (): void => {
    try {
      chain.anchorIfDue();
    } catch (error) {
      degrade(reasonOf(error));
    }
  };

  /** The calls of these records have been sent: what was reserved for them is used, and no other call begins. */
  const writeWithReserve = (batch: readonly Pending[]): void => {
    try {
      writeBatch(batch);
    } catch (error) {
      if (!mayLackRoom(error) || !disk?.release()) throw error;
      writeBatch(batch);
      degrade(DISK_FULL);
    }
  };

  /**
   * Every record that other callers bring shares the commit, which costs as much as writing two records: one more
   * turn of the event loop is waited for as long as the last one brought some.
   */
  const gather = (before: number, turns: number): void => {
    if (pending.length > before && turns < MAX_TURNS)
      setImmediate(gather, pending.length, turns + 1);
    else flush();
  };

  const degrade = (reason: string): void => {
    const isNew = degraded === null;
    degraded = reason;
    if (isNew) deps.onDegraded?.(degraded);
    probe ??= setInterval(tryAgain, PROBE_INTERVAL_MS).unref();
  };

  const tryAgain = (): void => {
    if (disk && !disk.restore()) return;
    try {
      writeProbe(file.writer);
    } catch (error) {
      degraded = reasonOf(error);
      return;
    }
    degraded = null;
    deps.onDegraded?.(null);
    clearInterval(probe);
    probe = undefined;
  };

  const refuse = (error: GatewayError): never => {
    refused++;
    throw error;
  };

  disk?.watch(() => {
    if (degraded === null) degrade(DISK_FULL);
  });

  return {
    assertWritable: () => {
      if (closed) refuse(new GatewayError('overloaded', 'The gateway is shutting down.'));
      if (degraded !== null) refuse(refusal(degraded));
      if (outbox?.isFull()) refuse(new GatewayError('overloaded', OUTBOX_FULL));
    },
    append: (record) => {
      calls++;
      if (closed) return Promise.reject(refusal('closed'));
      return new Promise((resolve, reject) => {
        pending.push({ row: rowOf(record), resolve, reject });
        if (pending.length === 1) setImmediate(gather, 1, 1);
      });
    },
    stats: () => ({
      queued: pending.length,
      outbox: outbox?.count() ?? 0,
      calls,
      records,
      missing: calls - records - pending.length,
      refused,
      lastWriteAt: lastWriteMs === null ? null : new Date(lastWriteMs).toISOString(),
      degraded,
    }),
    flush,
    close: async () => {
      flush();
      closed = true;
      clearInterval(probe);
    },
  };
}

function settle(entry: Pending): void {
  if (entry.fault === undefined) entry.resolve();
  else entry.reject(new GatewayError('internal', undefined, { cause: entry.fault }));
}

function rowOf(record: AuditRecord): AuditRecordsTable {
  try {
    return toRow(record);
  } catch (error) {
    throw new GatewayError('internal', undefined, { cause: error });
  }
}

/** Enough to show that there is room again, and left behind by no one. */
function writeProbe(writer: DatabaseSync): void {
  writer.exec(
    `CREATE TABLE IF NOT EXISTS audit_probe (filler BLOB);
     INSERT INTO audit_probe VALUES (zeroblob(65536));
     DROP TABLE audit_probe`,
  );
}

const OUTBOX_FULL =
  'The database has been away for so long that no more audit records can be kept, so calls are refused until it is back.';

const DISK_FULL = 'disk full';
const SQLITE_REASONS: Readonly<Record<number, string>> = {
  5: 'locked by another process',
  8: 'read-only',
  10: 'disk error',
  11: 'file damaged',
  13: DISK_FULL,
};

/** A full disk is an I/O error where a file is grown other than by writing to it. */
const mayLackRoom = (error: unknown): boolean => [10, 13].includes(sqliteErrorCode(error) ?? 0);

const reasonOf = (error: unknown): string => SQLITE_REASONS[sqliteErrorCode(error) ?? 0] ?? 'error';

function refusal(reason: string | null, cause?: unknown): GatewayError {
  const until = reason === DISK_FULL ? 'there is room' : 'it can';
  return new GatewayError(
    'overloaded',
    `The audit log cannot be written (${reason}), so calls are refused until ${until}.`,
    { cause },
  );
}
