import { type Clock, repeat } from '../../platform/kernel/time.ts';
import type { AuditFile } from '../record/audit-file.ts';
import type { AuditStats, LedgerStats, ShippingStats } from '../record/audit-record.ts';
import { createAuditOutbox } from './audit-outbox.ts';
import { createDeadLetters } from './dead-letters.ts';
import { type BatchShipperDeps, createBatchShipper, isReadOnly } from './ship-batch.ts';

const SHIP_INTERVAL_MS = 200;
/** The pause is doubled by every failure. */
const MAX_PAUSE_MS = 5000;
const READ_TIMEOUT_MS = 1000;
const CLOSE_TIMEOUT_MS = 5000;
/** Readiness is degraded if the oldest record has been waiting for longer. */
const MAX_WAITING_MS = 60_000;

/** Reports to the operator. Each may be called often during an outage. */
export interface ShippingWatch {
  /** Called when records could not be shipped or sealed, or old ones not deleted. */
  readonly onError: (error: unknown) => void;
  /** Called after each round while the oldest record has been waiting for over a minute. */
  readonly onWaiting?: (oldestWaitingSeconds: number) => void;
  /** Called with the reason when PostgreSQL refused a record, which is then a dead letter. */
  readonly onBuried?: (reason: string, stats: ShippingStats) => void;
}

export interface AuditShippingDeps
  extends ShippingWatch,
    Omit<BatchShipperDeps, 'outbox' | 'deadLetters' | 'onBuried'> {
  readonly file: AuditFile;
  readonly clock: Clock;
  /** AUDIT_OUTBOX_MAX_RECORDS. */
  readonly maxOutboxRecords: number;
}

export const NOTHING_SHIPPED: ShippingStats = {
  oldestWaitingSeconds: 0,
  deadLetters: 0,
  deadLettersDropped: 0,
};

/** Ships audit records to PostgreSQL. `close` ships what it can within 5 seconds. */
export function createAuditShipping(deps: AuditShippingDeps) {
  const { file, clock, onError, onWaiting, onBuried } = deps;
  const outbox = createAuditOutbox({ file, clock, maxRecords: deps.maxOutboxRecords });
  const deadLetters = createDeadLetters(file.writer, clock);
  const stats = (): ShippingStats => ({
    oldestWaitingSeconds: Math.floor(outbox.oldestWaitingMs() / 1000),
    deadLetters: deadLetters.count(),
    deadLettersDropped: deadLetters.dropped(),
  });
  const waitsTooLong = (): boolean => outbox.oldestWaitingMs() > MAX_WAITING_MS;
  const rounds = startRounds(
    { ...deps, outbox, deadLetters, onBuried: (reason) => onBuried?.(reason, stats()) },
    onError,
    () => {
      if (waitsTooLong()) onWaiting?.(stats().oldestWaitingSeconds);
    },
  );
  const degradation = (): string | null => {
    if (rounds.isReadOnly()) return 'PostgreSQL is read-only';
    return waitsTooLong() ? 'records have been waiting for PostgreSQL for over a minute' : null;
  };
  return {
    outbox,
    /** Ships what waits, for at most a second. Resolves with false if anything is left. */
    drain: (): Promise<boolean> => rounds.drain(READ_TIMEOUT_MS),
    /** Adds the figures of shipping to the ledger's. */
    addStats: (ledger: LedgerStats): AuditStats => ({
      ...ledger,
      ...stats(),
      degraded: ledger.degraded ?? degradation(),
    }),
    close: async (): Promise<void> => {
      await rounds.drain(CLOSE_TIMEOUT_MS);
      await rounds.close();
    },
  };
}

/** Moves what waits to PostgreSQL, again and again until it is closed. What a failed round leaves waits for the next. */
function startRounds(
  deps: BatchShipperDeps,
  onError: (error: unknown) => void,
  onRound: () => void,
) {
  const { outbox } = deps;
  const batches = createBatchShipper(deps);
  let pauseMs = SHIP_INTERVAL_MS;
  let readOnly = false;
  let underWay: Promise<boolean> | undefined;
  let closed = false;

  /** Ships what waits now. What arrives meanwhile is left for the next round, so that a round ends. */
  const shipOutbox = async (): Promise<void> => {
    let left = outbox.count();
    while (left > 0 && !closed) {
      const shipped = await batches.ship();
      // The outbox was emptied from outside.
      if (shipped === undefined) return outbox.emptied();
      left -= shipped;
    }
  };

  const shipRound = async (): Promise<boolean> => {
    try {
      await shipOutbox();
      pauseMs = SHIP_INTERVAL_MS;
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
    /** Resolves with true once everything that waits now has been shipped, and with false on failure or after the timeout. */
    drain: async (timeoutMs: number): Promise<boolean> => {
      const { promise: timedOut, resolve } = Promise.withResolvers<boolean>();
      const limit = setTimeout(resolve, timeoutMs, false);
      // A round in progress may have counted the rows before the latest ones arrived.
      const isDrained = await Promise.race([timedOut, Promise.resolve(underWay).then(shipOnce)]);
      clearTimeout(limit);
      return isDrained;
    },
    /** Whether PostgreSQL refused writes at the last attempt. */
    isReadOnly: () => readOnly,
    close: async (): Promise<void> => {
      closed = true;
      stop();
      await underWay;
    },
  };
}
