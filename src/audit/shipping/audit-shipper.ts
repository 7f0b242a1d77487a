import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import type { DeadLetters } from './dead-letters.ts';
import { insertWaiting, isReadOnly } from './insert-waiting.ts';
import type { WaitingTable } from './waiting-table.ts';

/** A batch is one statement; reading it and writing its JSON must not hold up calls. A row alone may be larger. */
const MAX_BATCH_ROWS = 500;
const MAX_BATCH_BYTES = 1024 * 1024;
/** A larger row is not even read. */
const MAX_ROW_BYTES = 16 * 1024 * 1024;
const MAX_PAUSE_MS = 5000;

/** A table to ship, and who counts its rows. */
export interface ShippedQueue {
  readonly table: WaitingTable;
  count(): number;
  /** Told after rows were shipped or buried. */
  removed(count: number): void;
}

export interface AuditShipperDeps {
  /** Shipped in this order, each as far as it was filled when a round began. */
  readonly queues: readonly ShippedQueue[];
  readonly deadLetters: DeadLetters;
  readonly db: Kysely<Tables>;
  /** Pause between two looks into the queues. */
  readonly intervalMs: number;
  /** Told of every failed attempt; the rows wait meanwhile. */
  readonly onFault: (error: unknown) => void;
  /** Told why a row became a dead letter. */
  readonly onBuried: (reason: string) => void;
  /** Told after every round, failed or not. */
  readonly onRound?: () => void;
}

/** Moves waiting rows to PostgreSQL, from its making until closed. */
export interface AuditShipper extends Closeable {
  /** Resolves with true once all that waits now has been shipped; with false after the time given, or when it fails. */
  drain(timeoutMs: number): Promise<boolean>;
  /** Whether PostgreSQL took no writes when it was last tried. */
  isReadOnly(): boolean;
}

export function createAuditShipper(deps: AuditShipperDeps): AuditShipper {
  const { queues, deadLetters, db, intervalMs, onFault, onBuried, onRound } = deps;
  let pauseMs = intervalMs;
  /** Halved by every failure, so that a server short of memory or time gets less at once; doubled by every success. */
  let batchRows = MAX_BATCH_ROWS;
  let readOnly = false;
  let underWay: Promise<boolean> | undefined;
  let closed = false;

  const bury = (queue: ShippedQueue, rowid: number, reason: string): void => {
    deadLetters.bury(queue.table, rowid, reason);
    queue.removed(1);
    onBuried(reason);
  };

  /**
   * At least once: rows are removed only after PostgreSQL has committed them, and inserting them again does nothing.
   * Refused rows are halved down to the one that is to blame, so that it holds up none of the others.
   */
  const ship = async (queue: ShippedQueue, rowids: readonly number[]): Promise<void> => {
    const { refused } = await insertWaiting(db, queue.table, rowids);
    const [first = 0] = rowids;
    if (refused === null) return queue.removed(queue.table.remove(rowids));
    if (rowids.length === 1) return bury(queue, first, refused);
    const middle = rowids.length >> 1;
    await ship(queue, rowids.slice(0, middle));
    await ship(queue, rowids.slice(middle));
  };

  /** Returns how many rows it took; 0 when there were none. */
  const shipBatch = async (queue: ShippedQueue): Promise<number> => {
    const { rowids, bytes } = queue.table.next(batchRows, MAX_BATCH_BYTES);
    const [first] = rowids;
    if (first === undefined) return 0;
    if (bytes > MAX_ROW_BYTES) bury(queue, first, `The row has ${bytes} bytes.`);
    else await ship(queue, rowids);
    batchRows = Math.min(batchRows * 2, MAX_BATCH_ROWS);
    return rowids.length;
  };

  /** Ships what waits now; what arrives meanwhile is for the next round, so that a round ends. */
  const shipQueue = async (queue: ShippedQueue): Promise<void> => {
    for (let left = queue.count(); left > 0 && !closed; ) {
      const shipped = await shipBatch(queue);
      // Somebody else emptied the file.
      if (shipped === 0) return queue.removed(queue.count());
      left -= shipped;
    }
  };

  const shipWaiting = async (): Promise<boolean> => {
    try {
      for (const queue of queues) await shipQueue(queue);
      pauseMs = intervalMs;
      readOnly = false;
      return true;
    } catch (error) {
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
      batchRows = Math.max(1, batchRows >> 1);
      readOnly = isReadOnly(error);
      onFault(error);
      return false;
    } finally {
      onRound?.();
    }
  };

  const shipOnce = (): Promise<boolean> => {
    underWay ??= shipWaiting().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };

  const turn = async (): Promise<void> => {
    await shipOnce();
    if (!closed) timer = setTimeout(turn, pauseMs).unref();
  };
  let timer = setTimeout(turn, 0).unref();

  return {
    drain: async (timeoutMs) => {
      const { promise: tooLate, resolve } = Promise.withResolvers<boolean>();
      const limit = setTimeout(resolve, timeoutMs, false);
      // A round under way may have looked into the queues before the latest rows came.
      const isDrained = await Promise.race([tooLate, Promise.resolve(underWay).then(shipOnce)]);
      clearTimeout(limit);
      return isDrained;
    },
    isReadOnly: () => readOnly,
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}
