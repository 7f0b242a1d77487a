import type { DiskReserve } from '../../platform/database/disk-reserve.ts';
import type { AuditRecordsTable } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { isoTimeOrNull } from '../../platform/kernel/iso-time.ts';
import type { ChainWriter } from '../chain/chain-writer.ts';
import type { AuditFile } from '../record/audit-file.ts';
import type { AuditLedger, LedgerStats, Unstored } from '../record/audit-record.ts';
import { toRow } from '../record/audit-row.ts';
import type { AuditOutbox } from '../shipping/audit-outbox.ts';
import { type BatchEntry, createBatchWriter, type WrittenBatch } from './audit-batch.ts';
import { createLedgerHealth, DISK_FULL, mayLackSpace, reasonOf } from './ledger-health.ts';

/** Bounds the wait of the first record of a batch: eight turns of a busy event loop are about a millisecond. */
const MAX_TURNS = 8;

export interface AuditLedgerDeps {
  readonly file: AuditFile;
  readonly clock: Clock;
  /** The chain of `file`. */
  readonly chain: ChainWriter;
  /** Disk space reserved for the records of calls in progress. */
  readonly disk?: DiskReserve | undefined;
  /** Set if the records are shipped to PostgreSQL. */
  readonly outbox?: AuditOutbox | undefined;
  /** Called after every commit with its rows and the row id of the last one. Must not throw. */
  readonly onCommitted?:
    | ((rows: readonly AuditRecordsTable[], lastRowId: number) => void)
    | undefined;
  /** Called once with the reason when records can no longer be written, and once with null when they can again. */
  readonly onDegraded?: ((reason: string | null) => void) | undefined;
}

/** `close` commits the pending records and refuses later ones. */
export interface LocalLedger extends Omit<AuditLedger, 'stats'>, Closeable {
  stats(): LedgerStats;
}

/** The records that the next commit will contain. */
interface Batch {
  readonly entries: BatchEntry[];
  readonly committed: PromiseWithResolvers<Unstored | undefined>;
}

const newBatch = (): Batch => ({ entries: [], committed: Promise.withResolvers() });

/** The audit ledger over `audit.db`. */
export function createAuditLedger(deps: AuditLedgerDeps): LocalLedger {
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
    let written: WrittenBatch;
    try {
      written = writer.write(entries);
    } catch (error) {
      committed.reject(refusal(writer.health.reason(), error));
      return;
    }
    const { rows, lastRowId } = written;
    records += rows.length;
    outbox?.added(rows.length);
    onCommitted?.(rows, lastRowId);
    lastWriteMs = clock.now();
    committed.resolve(rows.length === entries.length ? undefined : unstoredOf(entries));
    writer.committed();
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
    assertWritable: () => {
      const error = refusalNow();
      if (error === null) return;
      refused++;
      throw error;
    },
    isWritable: () => refusalNow() === null,
    append: (record) => {
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
    stats: () => ({
      queued: pending.entries.length,
      outbox: outbox?.count() ?? 0,
      calls,
      records,
      missing: calls - records - pending.entries.length,
      refused,
      lastWriteAt: isoTimeOrNull(lastWriteMs),
      degraded: writer.health.reason(),
    }),
    close: async () => {
      flush();
      closed = true;
      writer.health.stop();
    },
  };
}

/** Writes batches and anchors, and degrades the ledger when it cannot. */
function createLedgerWriter({ file, chain, disk, outbox, onDegraded }: AuditLedgerDeps) {
  const writeBatch = createBatchWriter(file.writer, chain);
  const health = createLedgerHealth({ writer: file.writer, disk, onDegraded });

  /** The calls of these records have already been sent. They use the reserved space, and no new call is accepted. */
  const writeWithReserve = (batch: readonly BatchEntry[]): WrittenBatch => {
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
    write: (batch: readonly BatchEntry[]): WrittenBatch => {
      try {
        return writeWithReserve(batch);
      } catch (error) {
        health.degrade(reasonOf(error));
        throw error;
      }
    },
    committed: (): void => {
      try {
        chain.committed();
      } catch (error) {
        health.degrade(reasonOf(error));
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
