import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import type { AuditFile } from '../record/audit-file.ts';
import type { AuditStats, LedgerStats, ShippingStats } from '../record/audit-record.ts';
import { type AuditOutbox, createAuditOutbox, type WaitingRecords } from './audit-outbox.ts';
import { createAuditShipper } from './audit-shipper.ts';
import { createDeadLetters, MAX_DEAD_LETTERS } from './dead-letters.ts';

const SHIP_INTERVAL_MS = 200;
const READ_TIMEOUT_MS = 1000;
const CLOSE_TIMEOUT_MS = 5000;
/** Readiness is degraded if the oldest record has been waiting for longer. */
const MAX_WAITING_MS = 60_000;

/** Reports to the operator. Each may be called often during an outage. */
export interface ShippingWatch {
  /** Called when records could not be shipped, or old ones not deleted. */
  readonly onError: (error: unknown) => void;
  /** Called after each round while the oldest record has been waiting for over a minute. */
  readonly onWaiting?: (oldestWaitingSeconds: number) => void;
  /** Called with the reason when PostgreSQL refused a record, which is then a dead letter. */
  readonly onBuried?: (reason: string, stats: ShippingStats) => void;
}

export interface AuditShippingDeps extends ShippingWatch {
  readonly file: AuditFile;
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly maxOutboxRecords: number;
}

/** Ships audit records to PostgreSQL. `close` ships what it can within 5 seconds. */
export interface AuditShipping extends Closeable {
  readonly outbox: AuditOutbox;
  /** Ships what waits, for at most a second. Resolves with the tenant's records that still wait, or null. */
  shipped(tenantId: string): Promise<WaitingRecords | null>;
  /** Ships what waits, for at most a second. Resolves with false if rows are left. */
  drain(): Promise<boolean>;
  /** Adds the figures of shipping to the ledger's. */
  addStats(ledger: LedgerStats): AuditStats;
}

export const NOTHING_SHIPPED: ShippingStats = {
  oldestWaitingSeconds: 0,
  deadLetters: 0,
  deadLettersDropped: 0,
};

export function createAuditShipping(deps: AuditShippingDeps): AuditShipping {
  const { file, db, clock, onError, onWaiting, onBuried } = deps;
  const outbox = createAuditOutbox({ file, clock, maxRecords: deps.maxOutboxRecords });
  const deadLetters = createDeadLetters({
    writer: file.writer,
    clock,
    maxCount: MAX_DEAD_LETTERS,
  });
  const stats = (): ShippingStats => ({
    oldestWaitingSeconds: Math.floor(outbox.oldestWaitingMs() / 1000),
    deadLetters: deadLetters.count(),
    deadLettersDropped: deadLetters.dropped(),
  });
  const waitsTooLong = (): boolean => outbox.oldestWaitingMs() > MAX_WAITING_MS;
  const shipper = createAuditShipper({
    outbox,
    deadLetters,
    db,
    intervalMs: SHIP_INTERVAL_MS,
    onError,
    onBuried: (reason) => onBuried?.(reason, stats()),
    onRound: () => {
      if (waitsTooLong()) onWaiting?.(stats().oldestWaitingSeconds);
    },
  });
  const degradation = (): string | null => {
    if (shipper.isReadOnly()) return 'PostgreSQL is read-only';
    return waitsTooLong() ? 'records have been waiting for PostgreSQL for over a minute' : null;
  };
  return {
    outbox,
    shipped: async (tenantId) =>
      (await shipper.drain(READ_TIMEOUT_MS)) ? null : outbox.waitingOf(tenantId),
    drain: () => shipper.drain(READ_TIMEOUT_MS),
    addStats: (ledger) => ({ ...ledger, ...stats(), degraded: ledger.degraded ?? degradation() }),
    close: async () => {
      await shipper.drain(CLOSE_TIMEOUT_MS);
      await shipper.close();
    },
  };
}
