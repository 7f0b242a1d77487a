import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '../../platform/database/sqlite-transaction.ts';
import { toInteger } from '../../platform/database/sqlite-value.ts';
import type { AuditRecordsTable } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import type { ChainLink } from '../chain/chain-link.ts';
import { idsOf } from '../chain/chain-reader.ts';
import type { AuditFile } from '../record/audit-file.ts';
import { createRecentRows, type RecentRows, type WaitingRow } from './recent-rows.ts';

/** The records of a tenant that wait, and are therefore missing from what it reads. */
export interface WaitingRecords {
  /** At most 1,000, which means 1,000 or more. */
  readonly waiting: number;
  /** When the oldest of their calls started; ISO 8601, UTC. */
  readonly oldestWaitingAt: string;
}

export interface WaitingLink extends ChainLink {
  readonly rowid: number;
}

/** Links, and those of their records that wait. */
export interface WaitingBatch {
  readonly links: readonly WaitingLink[];
  readonly rows: readonly WaitingRow[];
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
  const recent = createRecentRows();
  const batches = openBatches(writer, recent);
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

  /** Called with the number of rows that left. Determines the age of the oldest row that remains. */
  const removed = (count: number): void => {
    waiting -= count;
    // The remaining records arrived after the previous oldest one, whatever their timestamps are.
    oldestSinceMs = Math.max(oldestSinceMs, performance.now() - ageByClockMs());
    file.releaseSpace();
  };

  return {
    ...batches,
    count: (): number => waiting,
    isFull: (): boolean => waiting >= maxRecords,
    /** Called by the ledger with the records of a commit and the row id of the last one. */
    added: (rows: readonly AuditRecordsTable[], lastRowId: number): void => {
      if (waiting === 0) oldestSinceMs = performance.now();
      waiting += rows.length;
      recent.add(rows, lastRowId);
    },
    /** Called when a row has become a dead letter. */
    buried: (rowid: number): void => {
      recent.forgetRow(rowid);
      removed(1);
    },
    /**
     * The oldest links with their records, as many as both limits allow, but at least one. Records that no link contains,
     * which only a version without a chain leaves behind, come without links. Does not read the values of records.
     * Undefined if nothing waits.
     */
    next: (maxCount: number, maxBytes: number): WaitingBatch | undefined =>
      batches.next(waiting, maxCount, maxBytes),
    /** Removes what PostgreSQL has. The newest link stays, because the next one follows it. */
    remove: (batch: WaitingBatch): void => removed(batches.remove(batch)),
    removed,
    /** How long the oldest record has been waiting, in milliseconds; 0 if no record waits. */
    oldestWaitingMs: (): number => (waiting > 0 ? performance.now() - oldestSinceMs : 0),
    /** Null if no record of the tenant waits. */
    waitingOf: (tenantId: string): WaitingRecords | null => {
      const ms = oldestOf.get(tenantId)?.['ms'];
      if (typeof ms !== 'number') return null;
      return {
        waiting: toInteger(countOf.get(tenantId)?.['n']),
        oldestWaitingAt: new Date(ms).toISOString(),
      };
    },
  };
}

/** Chooses, reads and deletes what waits. */
function openBatches(writer: DatabaseSync, recent: RecentRows) {
  const rowsOf = openRows(writer, recent);
  const removeRows = prepareRemoval(writer);
  const unlinked = writer.prepare(
    `${measured(writer)} WHERE audit_id NOT IN ${LISTED} ORDER BY rowid LIMIT ?`,
  );
  const select = writer.prepare(
    `SELECT * FROM audit_records WHERE rowid IN ${LISTED} ORDER BY rowid`,
  );
  const waitingLinks = writer.prepare(
    'SELECT rowid, * FROM audit_links WHERE rowid > ? ORDER BY rowid LIMIT ?',
  );
  const newestLink = writer.prepare('SELECT max(rowid) AS rowid FROM audit_links');
  const removeLinks = writer.prepare(
    'DELETE FROM audit_links WHERE rowid <= ? AND rowid < (SELECT max(rowid) FROM audit_links)',
  );
  let shippedLink = 0;

  const oldestLinks = (maxRecords: number) => {
    const links: WaitingLink[] = [];
    let records = 0;
    for (const row of waitingLinks.iterate(shippedLink, MAX_LINKS)) {
      const link = row as unknown as WaitingLink;
      records += idsOf(link).length;
      if (links.length > 0 && records > maxRecords) return { links, isAll: false };
      links.push(link);
    }
    return { links, isAll: links.length < MAX_LINKS };
  };

  return {
    next: (waiting: number, maxRecords: number, maxBytes: number): WaitingBatch | undefined => {
      const { links, isAll } = oldestLinks(maxRecords);
      const linked = rowsOf(links);
      if (isAll && waiting > linked.size) {
        const ids = JSON.stringify([...linked.keys()]);
        const rows = unlinked.all(ids, maxRecords).map((row) => [row as unknown as WaitingRow]);
        if (rows.length > 0) return { links: [], rows: within(rows, maxBytes).flat() };
      }
      if (links.length === 0) return undefined;
      const groups = links.map((link) => idsOf(link).flatMap((id) => linked.get(id) ?? []));
      const rows = within(groups, maxBytes);
      return { links: links.slice(0, rows.length), rows: rows.flat() };
    },
    /** The links with those of their records that wait. */
    batchOf: (links: readonly WaitingLink[]): WaitingBatch => ({
      links,
      rows: [...rowsOf(links).values()],
    }),
    /** The row id of the newest link. */
    newestLink: (): number => toInteger(newestLink.get()?.['rowid'] ?? 0),
    /** Up to which row id all links have been shipped. */
    shippedLink: (): number => shippedLink,
    /** Throws RangeError for a row that JavaScript cannot represent. */
    read: (rows: readonly WaitingRow[]): AuditRecordsTable[] => {
      const known = rows.flatMap(({ row }) => row ?? []);
      if (known.length === rows.length) return known;
      const others = rowidsOf(rows.filter(({ row }) => !row));
      return [...known, ...(select.all(others) as unknown as AuditRecordsTable[])];
    },
    remove: ({ links, rows }: WaitingBatch): number => {
      const changes = inTransaction(writer, () => {
        shippedLink = links.at(-1)?.rowid ?? shippedLink;
        removeLinks.run(shippedLink);
        return removeRows(rows);
      });
      for (const { row } of rows) if (row) recent.forget(row.audit_id);
      return changes;
    },
  };
}

const LISTED = '(SELECT value FROM json_each(?))';

const measured = (writer: DatabaseSync): string => {
  const sizes = columnsOf(writer).map((column) => `coalesce(octet_length(${column}), 0)`);
  return `SELECT rowid, audit_id, ${sizes.join(' + ')} AS bytes FROM audit_records`;
};

/** Finds the rows of links by audit id. Measures only those that are not among the latest. */
function openRows(writer: DatabaseSync, recent: RecentRows) {
  const measure = writer.prepare(`${measured(writer)} WHERE audit_id IN ${LISTED}`);
  return (links: readonly WaitingLink[]): ReadonlyMap<string, WaitingRow> => {
    const found = new Map<string, WaitingRow>();
    const others: string[] = [];
    for (const id of links.flatMap(idsOf)) {
      const row = recent.get(id);
      if (row) found.set(id, row);
      else others.push(id);
    }
    if (others.length === 0) return found;
    for (const row of measure.all(JSON.stringify(others))) {
      found.set(String(row['audit_id']), row as unknown as WaitingRow);
    }
    return found;
  };
}

function prepareRemoval(writer: DatabaseSync) {
  const remove = writer.prepare(`DELETE FROM audit_records WHERE rowid IN ${LISTED}`);
  const removeRange = writer.prepare('DELETE FROM audit_records WHERE rowid BETWEEN ? AND ?');
  return (rows: readonly WaitingRow[]): number => {
    const [first, last] = [rows[0]?.rowid ?? 0, rows.at(-1)?.rowid ?? 0];
    const { changes } =
      last - first + 1 === rows.length ? removeRange.run(first, last) : remove.run(rowidsOf(rows));
    return toInteger(changes);
  };
}

/** The first groups of rows that fit, but at least one row. */
function within(groups: readonly WaitingRow[][], maxBytes: number): readonly WaitingRow[][] {
  let bytes = 0;
  const end = groups.findIndex((group) => {
    const before = bytes;
    bytes += group.reduce((sum, row) => sum + row.bytes, 0);
    return before > 0 && bytes > maxBytes;
  });
  return end < 0 ? groups : groups.slice(0, end);
}

const rowidsOf = (rows: readonly WaitingRow[]): string =>
  JSON.stringify(rows.map(({ rowid }) => rowid));

/** The names of the columns of a record. */
export const columnsOf = (writer: DatabaseSync): string[] =>
  writer
    .prepare('PRAGMA table_info(audit_records)')
    .all()
    .map(({ name }) => String(name));
