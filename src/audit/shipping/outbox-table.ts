import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '../../platform/database/sqlite-transaction.ts';
import { toInteger } from '../../platform/database/sqlite-value.ts';
import type { AuditRecordsTable } from '../../platform/database/tables.ts';
import { ReusedBytes } from '../../platform/kernel/reused-bytes.ts';
import { RECORD_COLUMNS } from '../record/audit-row.ts';

/**
 * Records that wait for PostgreSQL, as a row of `audit_outbox` in `audit.db`: those of one commit in one row, because a row for
 * each record takes twice the CPU of the commit and most of what shipping takes.
 */
export interface OutboxEntry {
  readonly id: number;
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
export const rowAsJson = (maxCharacters?: number): string => {
  const members = RECORD_COLUMNS.map((column) => {
    const text = maxCharacters === undefined ? column : `substr(${column}, 1, ${maxCharacters})`;
    return `'${column}', CASE typeof(${column})
      WHEN 'text' THEN ${text}
      WHEN 'blob' THEN 'blob of ' || length(${column}) || ' bytes'
      ELSE ${column} END`;
  });
  return `json_object(${members.join(', ')})`;
};

const ENTRY = 'id, waiting, tenants, records';
/** Of one entry, unless it has a single record, so that a batch stays small. */
const MAX_CHARACTERS = 1024 * 1024;

/** The statements of `audit_outbox`. */
export function openOutboxTable(writer: DatabaseSync) {
  const insert = writer.prepare(
    'INSERT INTO audit_outbox (waiting, tenants, audit_ids, records) VALUES (?, ?, ?, ?)',
  );
  const select = writer.prepare(`SELECT ${ENTRY} FROM audit_outbox WHERE id = ?`);
  const oldest = writer.prepare(
    `SELECT ${ENTRY} FROM audit_outbox ORDER BY id LIMIT ${MAX_ENTRIES}`,
  );
  const holding = writer.prepare(
    'SELECT id FROM audit_outbox WHERE instr(audit_ids, ?) > 0 LIMIT 1',
  );
  const update = writer.prepare(
    'UPDATE audit_outbox SET waiting = ?, tenants = ?, records = ? WHERE id = ?',
  );
  const remove = writer.prepare(
    'DELETE FROM audit_outbox WHERE id IN (SELECT value FROM json_each(?))',
  );
  const tenants = writer.prepare('SELECT tenants FROM audit_outbox');
  const count = writer.prepare('SELECT coalesce(sum(waiting), 0) AS n FROM audit_outbox');
  const first = writer.prepare('SELECT tenants FROM audit_outbox ORDER BY id LIMIT 1');
  const firstOf = writer.prepare(
    'SELECT tenants FROM audit_outbox WHERE instr(tenants, ?) > 0 ORDER BY id LIMIT 1',
  );
  const oldestMs = (row: Record<string, unknown> | undefined, tenantId?: string): number | null => {
    const counts = row ? countsOf({ tenants: String(row['tenants']) }) : {};
    const chosen = tenantId === undefined ? Object.values(counts) : [counts[tenantId] ?? []];
    const times = chosen.flatMap(([, ms]) => ms ?? []);
    return times.length > 0 ? Math.min(...times) : null;
  };

  /** Stores the records of a commit. */
  const add = (rows: readonly AuditRecordsTable[]): void => {
    const records = encode(rows);
    if (records.length > MAX_CHARACTERS && rows.length > 1) {
      const middle = rows.length >> 1;
      add(rows.slice(0, middle));
      add(rows.slice(middle));
      return;
    }
    const ids = rows.map(({ audit_id: id }) => id).join(' ');
    insert.run(rows.length, JSON.stringify(countTenants(rows)), ids, records);
  };

  return {
    count: (): number => toInteger(count.get()?.['n']),
    *counts(): Generator<TenantCounts> {
      for (const row of tenants.iterate()) yield countsOf({ tenants: String(row['tenants']) });
    },
    add,
    /** At most 500 entries, oldest first. */
    oldest: (): Iterable<OutboxEntry> => oldest.iterate() as Iterable<never>,
    /** When the oldest call of the first entry started, or of the first one with records of a tenant; null without one. */
    oldestMs: (tenantId?: string): number | null =>
      tenantId === undefined
        ? oldestMs(first.get())
        : oldestMs(firstOf.get(JSON.stringify(tenantId)), tenantId),
    remove: (entries: readonly OutboxEntry[]): void => {
      remove.run(JSON.stringify(entries.map(({ id }) => id)));
    },
    /** Takes records out of their entry. */
    takeOut: (id: number, taken: readonly AuditRecordsTable[]): void => {
      const entry = select.get(id) as OutboxEntry | undefined;
      if (!entry) return;
      const ids = new Set(taken.map((row) => row.audit_id));
      const rows = rowsOf(entry).filter((row) => !ids.has(row.audit_id));
      update.run(rows.length, JSON.stringify(countTenants(rows)), encode(rows), id);
    },
    /** A record that waits. Reads the ids of all entries, so it is for outages only. */
    find: (auditId: string): AuditRecordsTable | undefined => {
      const id = holding.get(auditId)?.['id'];
      const entry = select.get(id ?? null) as OutboxEntry | undefined;
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

/** Bounds the entries that are read for a batch. */
const MAX_ENTRIES = 500;

/** Larger rows are not read. */
const MAX_ROW_BYTES = 16 * 1024 * 1024;
/** Of one entry. */
const PACKED_ROWS = 200;

/** A row that is too large to be packed. */
export interface LargeRow {
  readonly n: number;
  readonly tenantId: string;
  readonly bytes: number;
}

/**
 * Packs rows of `audit_records` into entries: the audit log of a gateway that had no DATABASE_URL before. SQLite does it, because
 * JavaScript may not be able to represent their values.
 */
export function openRowPacking(writer: DatabaseSync) {
  const listed = '(SELECT value FROM json_each(?))';
  const sizes = RECORD_COLUMNS.map((column) => `coalesce(octet_length(${column}), 0)`);
  const size = sizes.join(' + ');
  const large = writer.prepare(
    `SELECT n, tenant_id AS tenantId, ${size} AS bytes FROM audit_records
     WHERE audit_id IN ${listed} AND ${size} > ${MAX_ROW_BYTES}`,
  );
  const pack = writer.prepare(
    `INSERT INTO audit_outbox (waiting, tenants, audit_ids, records)
     SELECT sum(count), json_group_object(tenant_id, json_array(count, oldest)),
       (SELECT group_concat(value, ' ') FROM json_each(?)),
       (SELECT json_group_array(json(value)) FROM (
         SELECT ${rowAsJson()} AS value FROM audit_records WHERE audit_id IN ${listed} ORDER BY n))
     FROM (SELECT tenant_id, count(*) AS count, min(timestamp_ms) AS oldest FROM audit_records
       WHERE audit_id IN ${listed} GROUP BY tenant_id)
     HAVING sum(count) > 0`,
  );
  const remove = writer.prepare(`DELETE FROM audit_records WHERE audit_id IN ${listed}`);
  const some = writer.prepare(
    `SELECT audit_id FROM (
       SELECT audit_id, sum(bytes) OVER (ORDER BY n) - bytes AS before FROM (
         SELECT n, audit_id, ${size} AS bytes FROM audit_records ORDER BY n LIMIT ${PACKED_ROWS}))
     WHERE before < ${MAX_CHARACTERS}`,
  );
  const countOf = writer.prepare(
    'SELECT tenant_id, count(*) AS n FROM audit_records GROUP BY tenant_id',
  );
  const oldest = writer.prepare('SELECT timestamp_ms AS ms FROM audit_records ORDER BY n LIMIT 1');
  const oldestOf = writer.prepare(
    'SELECT min(timestamp_ms) AS ms FROM audit_records WHERE tenant_id = ?',
  );
  const select = writer.prepare('SELECT * FROM audit_records WHERE audit_id = ?');

  // Counting five million rows is slow, so they are counted once.
  let left = toInteger(writer.prepare('SELECT count(*) AS n FROM audit_records').get()?.['n']);

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
    /** Packs some rows. Returns those of them that are too large instead, if there are any. */
    pack: (): readonly LargeRow[] => {
      const ids = JSON.stringify(some.all().map((row) => row['audit_id']));
      const tooLarge = large.all(ids) as unknown as LargeRow[];
      if (tooLarge.length > 0) return tooLarge;
      left -= inTransaction(writer, () => {
        pack.run(ids, ids, ids);
        return toInteger(remove.run(ids).changes);
      });
      return [];
    },
  };
}
