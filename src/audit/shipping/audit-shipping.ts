import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import type { AuditFile } from '../record/audit-file.ts';
import type { AuditStats, LedgerStats, ShippingStats } from '../record/audit-record.ts';
import { type AuditOutbox, createAuditOutbox, type WaitingRecords } from './audit-outbox.ts';
import { createAuditShipper } from './audit-shipper.ts';
import { createDeadLetters } from './dead-letters.ts';

const SHIP_INTERVAL_MS = 200;
const READ_WAITS_MS = 1000;
const CLOSE_WAITS_MS = 5000;
/** Readiness is degraded when the oldest record has been waiting for longer. */
const MAX_WAITING_MS = 60_000;

/** What an operator is told. All may be called often while something is wrong. */
export interface ShippingWatch {
  /** Told when records could not be shipped or old ones not be deleted. */
  readonly onFault: (error: unknown) => void;
  /** Told after each attempt as long as the oldest record has been waiting for over a minute. */
  readonly onWaiting?: (oldestWaitingSeconds: number) => void;
  /** Told why PostgreSQL refused a record, which is a dead letter now. */
  readonly onBuried?: (reason: string, stats: ShippingStats) => void;
}

export interface AuditShippingDeps extends ShippingWatch {
  readonly file: AuditFile;
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly maxOutboxRecords: number;
}

/** The way of audit records to PostgreSQL. `close` ships what it can within 5 seconds. */
export interface AuditShipping extends Closeable {
  readonly outbox: AuditOutbox;
  /** Ships what waits; resolves with what a tenant's reader misses nevertheless, after a second at most. */
  shipped(tenantId: string): Promise<WaitingRecords | null>;
  /** Ships what waits, for a second at most. */
  drain(): Promise<boolean>;
  /** The ledger's report with shipping added. */
  complete(ledger: LedgerStats): AuditStats;
}

export const NOTHING_SHIPPED: ShippingStats = {
  oldestWaitingSeconds: 0,
  deadLetters: 0,
  deadLettersDropped: 0,
};

export function createAuditShipping(deps: AuditShippingDeps): AuditShipping {
  const { file, db, clock, onFault, onWaiting, onBuried } = deps;
  const outbox = createAuditOutbox({ file, clock, maxRecords: deps.maxOutboxRecords });
  const deadLetters = createDeadLetters({ writer: file.writer, clock });
  const stats = (): ShippingStats => ({
    oldestWaitingSeconds: Math.floor(outbox.oldestWaitingMs() / 1000),
    deadLetters: deadLetters.count(),
    deadLettersDropped: deadLetters.dropped(),
  });
  const waitsTooLong = (): boolean => outbox.oldestWaitingMs() > MAX_WAITING_MS;
  const shipper = createAuditShipper({
    queues: [outbox],
    deadLetters,
    db,
    intervalMs: SHIP_INTERVAL_MS,
    onFault,
    onBuried: (reason) => onBuried?.(reason, stats()),
    onRound: () => {
      if (waitsTooLong()) onWaiting?.(stats().oldestWaitingSeconds);
    },
  });
  const trouble = (): string | null => {
    if (shipper.isReadOnly()) return 'PostgreSQL is read-only';
    return waitsTooLong() ? 'records have been waiting for PostgreSQL for over a minute' : null;
  };
  return {
    outbox,
    shipped: async (tenantId) =>
      (await shipper.drain(READ_WAITS_MS)) ? null : outbox.waitingOf(tenantId),
    drain: () => shipper.drain(READ_WAITS_MS),
    complete: (ledger) => ({ ...ledger, ...stats(), degraded: ledger.degraded ?? trouble() }),
    close: async () => {
      await shipper.drain(CLOSE_WAITS_MS);
      await shipper.close();
    },
  };
}
