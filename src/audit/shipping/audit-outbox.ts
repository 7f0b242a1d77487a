import { toInteger } from '../../platform/database/sqlite-value.ts';
import type { AuditRecordsTable } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import type { AuditFile } from '../record/audit-file.ts';
import {
  countsOf,
  countTenants,
  type LargeRow,
  type OutboxEntry,
  openOutboxTable,
  openRowPacking,
  type TenantCounts,
} from './outbox-table.ts';

/** The records of a tenant that wait, and are therefore missing from what it reads. */
export interface WaitingRecords {
  /** At most 1,000, which means 1,000 or more. */
  readonly waiting: number;
  /** When the oldest of their calls started; ISO 8601, UTC. */
  readonly oldestWaitingAt: string;
}

const MAX_COUNTED = 1000;

/** The oldest entries. */
export type WaitingBatch = readonly OutboxEntry[];

interface AuditOutboxDeps {
  readonly file: AuditFile;
  readonly clock: Clock;
  readonly maxRecords: number;
}

export type AuditOutbox = ReturnType<typeof createAuditOutbox>;

/** The records of `audit.db` that have not been shipped to PostgreSQL yet. */
export function createAuditOutbox({ file, clock, maxRecords }: AuditOutboxDeps) {
  const { writer } = file;
  const table = openOutboxTable(writer);
  const rows = openRowPacking(writer);
  const tenants = countByTenant(table.counts(), rows.counts());
  let waiting = table.count() + rows.left();

  const oldestMs = (tenantId?: string): number | null => {
    const times = [table.oldestMs(tenantId), rows.left() > 0 ? rows.oldestMs(tenantId) : null];
    const known = times.filter((ms) => ms !== null);
    return known.length > 0 ? Math.min(...known) : null;
  };
  const ageByClockMs = (): number => Math.max(0, clock.now() - (oldestMs() ?? clock.now()));
  /** When the oldest record arrived, on the monotonic clock: setting the wall clock changes no record's age. */
  let oldestSinceMs = performance.now() - ageByClockMs();

  /** Called with the number of records that left. Determines the age of the oldest one that remains. */
  const removed = (count: number): void => {
    waiting -= count;
    // The remaining records arrived after the previous oldest one, whatever their timestamps are.
    oldestSinceMs = Math.max(oldestSinceMs, performance.now() - ageByClockMs());
    file.releaseSpace();
  };

  const next = (maxCount: number, maxCharacters: number): WaitingBatch => {
    const batch: OutboxEntry[] = [];
    let left = maxCount;
    let charactersLeft = maxCharacters;
    for (const entry of table.oldest()) {
      left -= entry.waiting;
      charactersLeft -= entry.records.length;
      if (batch.length > 0 && (left < 0 || charactersLeft < 0)) break;
      batch.push(entry);
    }
    return batch;
  };

  return {
    count: (): number => waiting,
    isFull: (): boolean => waiting >= maxRecords,
    /** Stores the records of a commit. Call it within its transaction. */
    store: table.add,
    /** Called by the ledger with the records of a commit. */
    added: (committed: readonly AuditRecordsTable[]): void => {
      if (waiting === 0) oldestSinceMs = performance.now();
      waiting += committed.length;
      tenants.add(countTenants(committed));
    },
    /** Packs rows that a gateway without DATABASE_URL has left. Returns rows that are too large; they must become dead letters first. */
    pack: (): readonly LargeRow[] => (rows.left() > 0 ? rows.pack() : []),
    /** Removes records of one entry that become dead letters. Call it within that transaction. */
    takeOut: table.takeOut,
    /** Called when records have become dead letters. */
    buried: (taken: readonly AuditRecordsTable[]): void => {
      tenants.remove(countTenants(taken));
      removed(taken.length);
    },
    /** Called when a row that could not be packed has become a dead letter. */
    buriedRow: (tenantId: string): void => {
      tenants.remove({ [tenantId]: [1, 0] });
      rows.buried(1);
      removed(1);
    },
    /** The oldest entries, as many as both limits allow, but at least one. Empty if nothing waits. */
    next,
    /** Removes what PostgreSQL has. */
    remove: (batch: WaitingBatch): void => {
      table.remove(batch);
      for (const entry of batch) tenants.remove(countsOf(entry));
      removed(countOf(batch));
    },
    /** Called when the outbox was emptied from outside. */
    emptied: (): void => {
      tenants.clear();
      removed(waiting);
    },
    /** How long the oldest record has been waiting, in milliseconds; 0 if no record waits. */
    oldestWaitingMs: (): number => (waiting > 0 ? performance.now() - oldestSinceMs : 0),
    /** Null if no record of the tenant waits. */
    waitingOf: (tenantId: string): WaitingRecords | null =>
      tenants.of(tenantId, () => oldestMs(tenantId)),
    /** A record that waits. It is for outages only. */
    find: (tenantId: string, auditId: string): AuditRecordsTable | undefined => {
      if (!tenants.has(tenantId)) return undefined;
      const found = table.find(auditId) ?? (rows.left() > 0 ? rows.find(auditId) : undefined);
      return found?.tenant_id === tenantId ? found : undefined;
    },
  };
}

export const countOf = (batch: WaitingBatch): number =>
  batch.reduce((sum, entry) => sum + entry.waiting, 0);

/** How many records of each tenant wait. */
function countByTenant(
  entries: Iterable<TenantCounts>,
  unpacked: Iterable<Record<string, unknown>>,
) {
  interface Tenant {
    count: number;
    /** Once asked for, until some of them leave. */
    oldestMs: number | null;
  }
  const tenants = new Map<string, Tenant>();
  const add = (counts: TenantCounts): void => {
    for (const [tenantId, [count]] of Object.entries(counts)) {
      const tenant = tenants.get(tenantId);
      if (tenant) tenant.count += count;
      else tenants.set(tenantId, { count, oldestMs: null });
    }
  };
  for (const counts of entries) add(counts);
  for (const row of unpacked)
    add({ [String(row['tenant_id'])]: [toInteger(row['n'] as number), 0] });
  return {
    add,
    remove: (counts: TenantCounts): void => {
      for (const [tenantId, [count]] of Object.entries(counts)) {
        const left = (tenants.get(tenantId)?.count ?? 0) - count;
        if (left > 0) tenants.set(tenantId, { count: left, oldestMs: null });
        else tenants.delete(tenantId);
      }
    },
    clear: (): void => tenants.clear(),
    has: (tenantId: string): boolean => tenants.has(tenantId),
    of: (tenantId: string, findOldestMs: () => number | null): WaitingRecords | null => {
      const tenant = tenants.get(tenantId);
      if (!tenant) return null;
      tenant.oldestMs ??= findOldestMs();
      return {
        waiting: Math.min(tenant.count, MAX_COUNTED),
        oldestWaitingAt: new Date(tenant.oldestMs ?? 0).toISOString(),
      };
    },
  };
}
