import { toInteger } from '../../platform/database/sqlite-value.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import type { AuditFile } from '../record/audit-file.ts';
import { openWaitingTable, type WaitingTable } from './waiting-table.ts';

/** The records of a tenant that wait, and are therefore missing from what it reads. */
export interface WaitingRecords {
  /** At most 1,000, which means 1,000 or more. */
  readonly waiting: number;
  /** When the oldest of their calls started; ISO 8601, UTC. */
  readonly oldestWaitingAt: string;
}

/** The records of `audit.db` that have not been shipped to PostgreSQL yet. */
export interface AuditOutbox {
  readonly table: WaitingTable;
  count(): number;
  isFull(): boolean;
  /** Called by the ledger with the number of records it committed. */
  added(count: number): void;
  /** Called by the shipper with the number of rows it removed. Determines the age of the oldest row that remains. */
  removed(count: number): void;
  /** How long the oldest record has been waiting, in milliseconds; 0 if no record waits. */
  oldestWaitingMs(): number;
  /** Null if no record of the tenant waits. */
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
  // Counting five million records is slow, so they are counted once.
  let waiting = toInteger(writer.prepare('SELECT count(*) AS n FROM audit_records').get()?.['n']);

  const ageByClockMs = (): number => {
    const timestampMs = oldest.get()?.['timestamp_ms'];
    return typeof timestampMs === 'number' ? Math.max(0, clock.now() - timestampMs) : 0;
  };
  /** When the oldest record arrived, on the monotonic clock: setting the wall clock changes no record's age. */
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
      // The remaining records arrived after the previous oldest one, whatever their timestamps are.
      oldestSinceMs = Math.max(oldestSinceMs, performance.now() - ageByClockMs());
      file.releaseSpace();
    },
    oldestWaitingMs: () => (waiting > 0 ? performance.now() - oldestSinceMs : 0),
    waitingOf: (tenantId) => {
      const ms = oldestOf.get(tenantId)?.['ms'];
      if (typeof ms !== 'number') return null;
      return {
        waiting: toInteger(countOf.get(tenantId)?.['n']),
        oldestWaitingAt: new Date(ms).toISOString(),
      };
    },
  };
}
