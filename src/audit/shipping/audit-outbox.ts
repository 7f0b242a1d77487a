import type { Clock } from '../../platform/kernel/clock.ts';
import type { AuditFile } from '../record/audit-file.ts';
import { integer, openWaitingTable, type WaitingTable } from './waiting-table.ts';

/** What a tenant's reader misses while records wait. */
export interface WaitingRecords {
  /** At most 1,000, which then means "or more". */
  readonly waiting: number;
  /** When the oldest of their calls began; ISO 8601, UTC. */
  readonly oldestWaitingAt: string;
}

/** The records of `audit.db` that PostgreSQL does not have yet. */
export interface AuditOutbox {
  readonly table: WaitingTable;
  count(): number;
  isFull(): boolean;
  /** Told by the ledger of records it committed. */
  added(count: number): void;
  /** Told by the shipper that the table has fewer rows; looks at what is the oldest now. */
  removed(count: number): void;
  /** How long the oldest record has been waiting, in milliseconds; 0 when none waits. */
  oldestWaitingMs(): number;
  /** Null when no record of the tenant waits. */
  waitingOf(tenantId: string): WaitingRecords | null;
}

export interface AuditOutboxDeps {
  readonly file: AuditFile;
  readonly clock: Clock;
  readonly maxRecords: number;
}

export function createAuditOutbox({ file, clock, maxRecords }: AuditOutboxDeps): AuditOutbox {
  const { writer } = file;
  const table = openWaitingTable(writer, 'audit_records', 'audit_id');
  const oldest = writer.prepare('SELECT timestamp_ms FROM audit_records ORDER BY rowid LIMIT 1');
  const oldestOf = writer.prepare(
    'SELECT min(timestamp_ms) AS ms FROM audit_records WHERE tenant_id = ?',
  );
  const countOf = writer.prepare(
    'SELECT count(*) AS n FROM (SELECT 1 FROM audit_records WHERE tenant_id = ? LIMIT 1000)',
  );
  // Counting five million records takes a moment, so they are counted once.
  let waiting = integer(writer.prepare('SELECT count(*) AS n FROM audit_records').get()?.['n']);

  const ageByClockMs = (): number => {
    const timestampMs = oldest.get()?.['timestamp_ms'];
    return typeof timestampMs === 'number' ? Math.max(0, clock.now() - timestampMs) : 0;
  };
  /** The oldest record's arrival by the monotonic clock: a wall clock that is set makes no record older or younger. */
  let oldestSinceMs = performance.now() - ageByClockMs();

  return {
    table,
    count: () => waiting,
    isFull: () => waiting >= maxRecords,
    added: (count) => {
      if (waiting === 0) oldestSinceMs = performance.now();
      waiting += count;
    },
    removed: (count) => {
      waiting -= count;
      // What is left came later than what was the oldest, whatever its timestamp says.
      oldestSinceMs = Math.max(oldestSinceMs, performance.now() - ageByClockMs());
      file.giveBackSpace();
    },
    oldestWaitingMs: () => (waiting > 0 ? performance.now() - oldestSinceMs : 0),
    waitingOf: (tenantId) => {
      const ms = oldestOf.get(tenantId)?.['ms'];
      if (typeof ms !== 'number') return null;
      return {
        waiting: integer(countOf.get(tenantId)?.['n']),
        oldestWaitingAt: new Date(ms).toISOString(),
      };
    },
  };
}
