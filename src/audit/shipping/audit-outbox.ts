import { inTransaction } from '../../platform/database/sqlite-transaction.ts';
import { toInteger } from '../../platform/database/sqlite-value.ts';
import type { AuditRecordsTable } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import type { ChainLink } from '../chain/chain-link.ts';
import { idsOf } from '../chain/chain-reader.ts';
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

export interface WaitingLink extends ChainLink {
  readonly rowid: number;
}

/** Links, and the entries with those of their records that wait. */
export interface WaitingBatch {
  readonly links: readonly WaitingLink[];
  readonly entries: readonly OutboxEntry[];
}

/** The part of a batch that has these links. */
export function partOf(batch: WaitingBatch, links: readonly WaitingLink[]): WaitingBatch {
  const rowids = new Set(links.map(({ rowid }) => rowid));
  return { links, entries: batch.entries.filter(({ link }) => rowids.has(link)) };
}

/** Links are short, but some contain no records, so records alone do not bound them. */
const MAX_LINKS = 500;

interface AuditOutboxDeps {
  readonly file: AuditFile;
  readonly clock: Clock;
  readonly maxRecords: number;
}

export type AuditOutbox = ReturnType<typeof createAuditOutbox>;

/** The records of `audit.db` that have not been shipped to PostgreSQL yet, and their links. */
export function createAuditOutbox({ file, clock, maxRecords }: AuditOutboxDeps) {
  const { writer } = file;
  const table = openOutboxTable(writer);
  const rows = openRowPacking(writer);
  const tenants = countByTenant(table.counts(), rows.counts());
  let waiting = table.count() + rows.left();
  const batches = openBatches(file, table);

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

  const pack = (): readonly LargeRow[] => {
    if (rows.left() === 0) return [];
    const links = batches.unpackedLinks();
    for (const link of links) {
      const tooLarge = rows.pack(link.rowid, idsOf(link));
      if (tooLarge.length > 0) return tooLarge;
    }
    return links.length > 0 ? [] : rows.packLinkless();
  };

  return {
    count: (): number => waiting,
    isFull: (): boolean => waiting >= maxRecords,
    newestLink: batches.newestLink,
    shippedLink: batches.shippedLink,
    /** Stores the records of a link. Call it within the transaction that adds the link. */
    store: table.add,
    /** Called by the ledger with the records of a commit. */
    added: (committed: readonly AuditRecordsTable[]): void => {
      if (waiting === 0) oldestSinceMs = performance.now();
      waiting += committed.length;
      tenants.add(countTenants(committed));
    },
    /**
     * Packs rows that a gateway without DATABASE_URL or an earlier version has left, those of the oldest links first. Returns
     * rows that are too large, if there are any; they must become dead letters first.
     */
    pack,
    /** Removes entries whose records have been stored again. Call it within that transaction. */
    discard: table.remove,
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
    /**
     * The oldest links with their records, as many as both limits allow, but at least one. Records that no link contains,
     * which only a version without a chain leaves behind, come without links. Undefined if nothing waits.
     */
    next: (maxCount: number, maxCharacters: number): WaitingBatch | undefined =>
      batches.next(maxCount, maxCharacters, rows.left() > 0),
    /** Removes what PostgreSQL has. The newest link stays, because the next one follows it. */
    remove: (batch: WaitingBatch): void => {
      batches.remove(batch);
      for (const entry of batch.entries) tenants.remove(countsOf(entry));
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
    /** A record that waits. Reads the ids of the links, so it is for outages only. */
    find: (tenantId: string, auditId: string): AuditRecordsTable | undefined => {
      if (!tenants.has(tenantId)) return undefined;
      const found = batches.find(auditId) ?? (rows.left() > 0 ? rows.find(auditId) : undefined);
      return found?.tenant_id === tenantId ? found : undefined;
    },
  };
}

export const countOf = ({ entries }: WaitingBatch): number =>
  entries.reduce((sum, entry) => sum + entry.waiting, 0);

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

/** Chooses, reads and deletes what waits. */
function openBatches({ writer }: AuditFile, table: ReturnType<typeof openOutboxTable>) {
  const waitingLinks = writer.prepare(
    `SELECT audit_links.rowid AS rowid, audit_links.*, waiting, tenants, records
     FROM audit_links LEFT JOIN audit_outbox ON link = audit_links.rowid
     WHERE audit_links.rowid > ? ORDER BY audit_links.rowid LIMIT ${MAX_LINKS}`,
  );
  const unpackedLinks = writer.prepare(
    `SELECT audit_links.rowid AS rowid, kind, detail FROM audit_links
     LEFT JOIN audit_outbox ON link = audit_links.rowid
     WHERE audit_links.rowid > ? AND kind = 'records' AND link IS NULL
     ORDER BY audit_links.rowid LIMIT ?`,
  );
  const newestLink = writer.prepare('SELECT max(rowid) AS rowid FROM audit_links');
  const removeLinks = writer.prepare(
    'DELETE FROM audit_links WHERE rowid <= ? AND rowid < (SELECT max(rowid) FROM audit_links)',
  );
  const linkOf = writer.prepare(
    `SELECT rowid FROM audit_links WHERE rowid > ? AND instr(detail, ?) > 0 LIMIT 1`,
  );
  let shippedLink = 0;

  return {
    /** With `packedOnly`, a batch ends before a link whose records are not packed. */
    next: (
      maxCount: number,
      maxCharacters: number,
      packedOnly: boolean,
    ): WaitingBatch | undefined => {
      const links: WaitingLink[] = [];
      const entries: OutboxEntry[] = [];
      let left = maxCount;
      let charactersLeft = maxCharacters;
      for (const row of waitingLinks.iterate(shippedLink)) {
        const { waiting, tenants, records, ...rest } = row as unknown as WaitingLink & OutboxEntry;
        left -= waiting ?? 0;
        charactersLeft -= records?.length ?? 0;
        if (entries.length > 0 && (left < 0 || charactersLeft < 0)) break;
        if (packedOnly && rest.kind === 'records' && waiting === null) break;
        links.push(rest as WaitingLink);
        if (waiting !== null) entries.push({ link: rest.rowid, waiting, tenants, records });
      }
      if (links.length > 0) return { links, entries };
      const linkless = table.linkless();
      return linkless && { links, entries: [linkless] };
    },
    /** The oldest links whose records are not packed. */
    unpackedLinks: (): readonly WaitingLink[] =>
      unpackedLinks.all(shippedLink, PACKED_AT_ONCE) as unknown as WaitingLink[],
    /** The row id of the newest link. */
    newestLink: (): number => toInteger(newestLink.get()?.['rowid'] ?? 0),
    /** Up to which row id all links have been shipped. */
    shippedLink: (): number => shippedLink,
    find: (auditId: string): AuditRecordsTable | undefined => {
      const rowid = linkOf.get(shippedLink, auditId)?.['rowid'];
      return typeof rowid === 'number' ? table.find(rowid, auditId) : undefined;
    },
    remove: ({ links, entries }: WaitingBatch): void =>
      inTransaction(writer, () => {
        shippedLink = links.at(-1)?.rowid ?? shippedLink;
        removeLinks.run(shippedLink);
        table.remove(entries);
      }),
  };
}

/** Links whose rows are packed in one turn of the event loop. */
const PACKED_AT_ONCE = 20;
