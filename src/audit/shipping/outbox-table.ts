import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '../../platform/database/sqlite-transaction.ts';
import { toInteger } from '../../platform/database/sqlite-value.ts';
import type { AuditRecordsTable } from '../../platform/database/tables.ts';
import { ReusedBytes } from '../../platform/kernel/reused-bytes.ts';

/**
 * Records that wait for PostgreSQL, as a row of `audit_outbox` in `audit.db`: those of one link in one row, because a row for
 * each record takes twice the CPU of the commit and most of that of shipping.
 */
export interface OutboxEntry {
  /** The row id of the link that contains the records; negative for records that no link contains. */
  readonly link: number;
  /** How many records wait. */
  readonly waiting: number;
  /** JSON: for each tenant, how many of the records it has, and when the oldest of their calls started. */
  readonly tenants: string;
  /** A JSON array of the records, whose members have the names of the columns in PostgreSQL. */
  readonly records: string;
}

/** For each tenant, the number of its records, and the earliest `timestamp_ms`. */
export type TenantCounts = Readonly<Record<string, readonly [count: number, oldestMs: number]>>;

/** An expression for a row of `audit_records` as a JSON object. JSON cannot have blobs, which a gateway never writes. */
export const rowAsJson = (writer: DatabaseSync, maxCharacters?: number): string => {
  const members = columnsOf(writer).map((column) => {
    const text = maxCharacters === undefined ? column : `substr(${column}, 1, ${maxCharacters})`;
    return `'${column}', CASE typeof(${column})
      WHEN 'text' THEN ${text}
      WHEN 'blob' THEN 'blob of ' || length(${column}) || ' bytes'
      ELSE ${column} END`;
  });
  return `json_object(${members.join(', ')})`;
};

const columnsOf = (writer: DatabaseSync): string[] =>
  writer
    .prepare('PRAGMA table_info(audit_records)')
    .all()
    .map(({ name }) => String(name));

const ENTRY = 'link, waiting, tenants, records';

/** The statements of `audit_outbox`. */
export function openOutboxTable(writer: DatabaseSync) {
  const insert = writer.prepare(`INSERT INTO audit_outbox (${ENTRY}) VALUES (?, ?, ?, ?)`);
  const select = writer.prepare(`SELECT ${ENTRY} FROM audit_outbox WHERE link = ?`);
  const update = writer.prepare(
    'UPDATE audit_outbox SET waiting = ?, tenants = ?, records = ? WHERE link = ?',
  );
  const remove = writer.prepare(
    'DELETE FROM audit_outbox WHERE link IN (SELECT value FROM json_each(?))',
  );
  const tenants = writer.prepare('SELECT tenants FROM audit_outbox');
  const count = writer.prepare('SELECT coalesce(sum(waiting), 0) AS n FROM audit_outbox');
  const first = writer.prepare('SELECT tenants FROM audit_outbox ORDER BY link LIMIT 1');
  const firstOf = writer.prepare(
    'SELECT tenants FROM audit_outbox WHERE instr(tenants, ?) > 0 ORDER BY link LIMIT 1',
  );
  const linkless = writer.prepare(
    `SELECT ${ENTRY} FROM audit_outbox
     WHERE link NOT IN (SELECT rowid FROM audit_links) ORDER BY link LIMIT 1`,
  );

  const oldestMs = (row: Record<string, unknown> | undefined, tenantId?: string): number | null => {
    const counts = row ? countsOf({ tenants: String(row['tenants']) }) : {};
    const chosen = tenantId === undefined ? Object.values(counts) : [counts[tenantId] ?? []];
    const times = chosen.flatMap(([, ms]) => ms ?? []);
    return times.length > 0 ? Math.min(...times) : null;
  };

  return {
    count: (): number => toInteger(count.get()?.['n']),
    *counts(): Generator<TenantCounts> {
      for (const row of tenants.iterate()) yield countsOf({ tenants: String(row['tenants']) });
    },
    /** Stores the records of a link, or of none. */
    add: (link: number, rows: readonly AuditRecordsTable[]): void => {
      insert.run(link, rows.length, JSON.stringify(countTenants(rows)), encode(rows));
    },
    /** When the oldest call of the first entry started, or of the first one with records of a tenant; null without one. */
    oldestMs: (tenantId?: string): number | null =>
      tenantId === undefined
        ? oldestMs(first.get())
        : oldestMs(firstOf.get(JSON.stringify(tenantId)), tenantId),
    /** An entry whose link does not exist. */
    linkless: (): OutboxEntry | undefined => linkless.get() as OutboxEntry | undefined,
    remove: (entries: readonly OutboxEntry[]): void => {
      remove.run(JSON.stringify(entries.map(({ link }) => link)));
    },
    /** Takes records out of their entry. */
    takeOut: (link: number, taken: readonly AuditRecordsTable[]): void => {
      const entry = select.get(link) as OutboxEntry | undefined;
      if (!entry) return;
      const ids = new Set(taken.map(({ audit_id: id }) => id));
      const rows = rowsOf(entry).filter((row) => !ids.has(row.audit_id));
      update.run(rows.length, JSON.stringify(countTenants(rows)), encode(rows), link);
    },
    /** The record of an entry. */
    find: (link: number, auditId: string): AuditRecordsTable | undefined => {
      const entry = select.get(link) as OutboxEntry | undefined;
      return entry && rowsOf(entry).find((row) => row.audit_id === auditId);
    },
  };
}

export const rowsOf = ({ records }: Pick<OutboxEntry, 'records'>): AuditRecordsTable[] =>
  JSON.parse(records);

export const countsOf = ({ tenants }: Pick<OutboxEntry, 'tenants'>): TenantCounts =>
  JSON.parse(tenants);

export function countTenants(rows: readonly AuditRecordsTable[]): TenantCounts {
  const counts: Record<string, [number, number]> = Object.create(null);
  for (const { tenant_id: tenantId, timestamp_ms: ms } of rows) {
    const count = counts[tenantId];
    if (!count) {
      counts[tenantId] = [1, ms];
      continue;
    }
    count[0]++;
    if (ms < count[1]) count[1] = ms;
  }
  return counts;
}

/** PostgreSQL refuses lone surrogates. */
function encode(rows: readonly AuditRecordsTable[]): string {
  const json = JSON.stringify(rows);
  if (!json.includes('\\ud')) return json;
  return JSON.stringify(rows, (_, value) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );
}

const NO_RECORDS = Buffer.from('[]');
const COMMA = 0x2c;

/**
 * Joins the records of several entries in one JSON array. As strings, these would be large objects, which only a full garbage
 * collection frees.
 */
export class RecordJoin {
  readonly #memory = new ReusedBytes();

  /** The result is valid until the next call. */
  join(entries: readonly Pick<OutboxEntry, 'records'>[]): Buffer {
    const memory = this.#memory;
    memory.clear();
    for (const { records } of entries) {
      if (records.length === NO_RECORDS.length) continue;
      const isFirst = memory.length === 0;
      if (!isFirst) memory.written()[memory.length - 1] = COMMA;
      const text = isFirst ? records : records.slice(1);
      memory.reserve(Buffer.byteLength(text)).write(text);
    }
    return memory.length === 0 ? NO_RECORDS : memory.written();
  }
}

/** Larger rows are not read. */
const MAX_ROW_BYTES = 16 * 1024 * 1024;
/** Of rows that no link contains, those of one entry. */
const LINKLESS_ROWS = 200;

/** A row that is too large to be packed. */
export interface LargeRow {
  readonly rowid: number;
  readonly tenantId: string;
  readonly bytes: number;
}

/**
 * Packs rows of `audit_records` into entries: those that a gateway without DATABASE_URL or an earlier version has left. SQLite
 * does it, because JavaScript may not be able to represent their values.
 */
export function openRowPacking(writer: DatabaseSync) {
  const listed = '(SELECT value FROM json_each(?))';
  const sizes = columnsOf(writer).map((column) => `coalesce(octet_length(${column}), 0)`);
  const size = sizes.join(' + ');
  const large = writer.prepare(
    `SELECT rowid, tenant_id AS tenantId, ${size} AS bytes FROM audit_records
     WHERE audit_id IN ${listed} AND ${size} > ${MAX_ROW_BYTES}`,
  );
  const pack = writer.prepare(
    `INSERT INTO audit_outbox (${ENTRY})
     SELECT ?, sum(n), json_group_object(tenant_id, json_array(n, oldest)),
       (SELECT json_group_array(json(value)) FROM (
         SELECT ${rowAsJson(writer)} AS value FROM audit_records WHERE audit_id IN ${listed} ORDER BY rowid))
     FROM (SELECT tenant_id, count(*) AS n, min(timestamp_ms) AS oldest FROM audit_records
       WHERE audit_id IN ${listed} GROUP BY tenant_id)
     HAVING sum(n) > 0`,
  );
  const remove = writer.prepare(`DELETE FROM audit_records WHERE audit_id IN ${listed}`);
  const some = writer.prepare(
    `SELECT audit_id FROM audit_records ORDER BY rowid LIMIT ${LINKLESS_ROWS}`,
  );
  const free = writer.prepare(
    'SELECT min(0, coalesce(min(link), 0)) - 1 AS link FROM audit_outbox',
  );
  const empty = writer.prepare(`INSERT INTO audit_outbox (${ENTRY}) VALUES (?, 0, '{}', '[]')`);
  const countOf = writer.prepare(
    'SELECT tenant_id, count(*) AS n FROM audit_records GROUP BY tenant_id',
  );
  const oldest = writer.prepare(
    'SELECT timestamp_ms AS ms FROM audit_records ORDER BY rowid LIMIT 1',
  );
  const oldestOf = writer.prepare(
    'SELECT min(timestamp_ms) AS ms FROM audit_records WHERE tenant_id = ?',
  );
  const select = writer.prepare('SELECT * FROM audit_records WHERE audit_id = ?');

  // Counting five million rows is slow, so they are counted once.
  let left = toInteger(writer.prepare('SELECT count(*) AS n FROM audit_records').get()?.['n']);

  /**
   * Packs rows as the entry of a link, which is empty if the rows no longer exist. Returns those that are too large instead,
   * if there are any.
   */
  const packListed = (link: number, auditIds: readonly string[]): readonly LargeRow[] => {
    const ids = JSON.stringify(auditIds);
    const tooLarge = large.all(ids) as unknown as LargeRow[];
    if (tooLarge.length > 0) return tooLarge;
    left -= inTransaction(writer, () => {
      if (pack.run(link, ids, ids).changes === 0) empty.run(link);
      return toInteger(remove.run(ids).changes);
    });
    return [];
  };

  return {
    /** How many are not packed. */
    left: (): number => left,
    /** Called when so many have become dead letters. */
    buried: (count: number): void => {
      left -= count;
    },
    counts: (): Iterable<Record<string, unknown>> => countOf.iterate(),
    oldestMs: (tenantId?: string): number | null => {
      const row = tenantId === undefined ? oldest.get() : oldestOf.get(tenantId);
      return typeof row?.['ms'] === 'number' ? row['ms'] : null;
    },
    find: (auditId: string): AuditRecordsTable | undefined =>
      select.get(auditId) as unknown as AuditRecordsTable | undefined,
    pack: packListed,
    /** Packs rows that no link contains. */
    packLinkless: (): readonly LargeRow[] => {
      const ids = some.all().map((row) => String(row['audit_id']));
      return ids.length > 0 ? packListed(toInteger(free.get()?.['link']), ids) : [];
    },
  };
}

/** Returns what waits to `audit_records`, for a gateway that no longer has a DATABASE_URL. */
export function unpackOutbox(writer: DatabaseSync): void {
  const columns = columnsOf(writer);
  const members = columns.map((column) => `value ->> '${column}'`);
  const range = `link IN (SELECT link FROM audit_outbox ORDER BY link LIMIT ${ENTRIES_AT_ONCE})`;
  const insert = writer.prepare(
    `INSERT OR IGNORE INTO audit_records (${columns.join(', ')})
     SELECT ${members.join(', ')} FROM audit_outbox, json_each(records) WHERE ${range} ORDER BY link`,
  );
  const remove = writer.prepare(`DELETE FROM audit_outbox WHERE ${range}`);
  const some = writer.prepare('SELECT 1 FROM audit_outbox LIMIT 1');
  while (some.get()) {
    inTransaction(writer, () => {
      insert.run();
      remove.run();
    });
  }
}

const ENTRIES_AT_ONCE = 200;
