import type { Closeable } from '../../platform/kernel/closeable.ts';
import { repeat } from '../../platform/kernel/repeat.ts';
import { type BatchShipperDeps, createBatchShipper } from './batch-shipper.ts';
import { isReadOnly } from './insert-waiting.ts';

const MAX_PAUSE_MS = 5000;

export interface AuditShipperDeps extends BatchShipperDeps {
  /** Pause between two rounds. Doubled by every failure, up to 5 seconds. */
  readonly intervalMs: number;
  /** Called with the error of every failed attempt. The rows wait meanwhile. */
  readonly onError: (error: unknown) => void;
  /** Called after every round, failed or not. */
  readonly onRound: () => void;
}

/** Moves waiting rows to PostgreSQL from its creation until it is closed. */
export interface AuditShipper extends Closeable {
  /** Resolves with true once every row that waits now has been shipped, and with false on failure or after the timeout. */
  drain(timeoutMs: number): Promise<boolean>;
  /** Whether PostgreSQL refused writes at the last attempt. */
  isReadOnly(): boolean;
}

export function createAuditShipper(deps: AuditShipperDeps): AuditShipper {
  const { outbox, intervalMs, onError, onRound } = deps;
  const batches = createBatchShipper(deps);
  let pauseMs = intervalMs;
  let readOnly = false;
  let underWay: Promise<boolean> | undefined;
  let closed = false;

  /** Ships what waits now. Rows that arrive meanwhile are left for the next round, so that a round ends. */
  const shipOutbox = async (): Promise<void> => {
    for (let left = outbox.count(); left > 0 && !closed; ) {
      const shipped = await batches.shipBatch();
      // The outbox was emptied from outside.
      if (shipped === 0) return outbox.removed(outbox.count());
      left -= shipped;
    }
  };

  const shipRound = async (): Promise<boolean> => {
    try {
      await shipOutbox();
      pauseMs = intervalMs;
      readOnly = false;
      return true;
    } catch (error) {
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
      batches.halve();
      readOnly = isReadOnly(error);
      onError(error);
      return false;
    } finally {
      onRound();
    }
  };

  const shipOnce = (): Promise<boolean> => {
    underWay ??= shipRound().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };

  const stop = repeat(shipOnce, () => pauseMs, 0);

  return {
    drain: async (timeoutMs) => {
      const { promise: timedOut, resolve } = Promise.withResolvers<boolean>();
      const limit = setTimeout(resolve, timeoutMs, false);
      // A round in progress may have counted the rows before the latest ones arrived.
      const isDrained = await Promise.race([timedOut, Promise.resolve(underWay).then(shipOnce)]);
      clearTimeout(limit);
      return isDrained;
    },
    isReadOnly: () => readOnly,
    close: async () => {
      closed = true;
      stop();
      await underWay;
    },
  };
}
