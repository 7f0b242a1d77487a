import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { type AuditFilter, matching, type RecordsQuery } from './audit-filter.ts';
import type { AuditQueries } from './audit-search.ts';

/** The last record of a page, after which the next one starts. */
export interface AuditPosition {
  readonly timestampMs: number;
  readonly auditId: string;
}

interface PageOptions {
  readonly filter: AuditFilter;
  readonly order: ReadingOrder;
  readonly after: AuditPosition | undefined;
  /** Where the reading ends; by default, with the last record. */
  readonly until?: AuditPosition | undefined;
  readonly maxRecords: number;
  readonly maxBytes: number;
}

/** The records that match, behind `after`. The next page begins after `next`; undefined if all were read. */
export async function readPage(queries: AuditQueries, options: PageOptions) {
  const { filter, order, after, until } = options;
  const { db, run } = queries;
  const sizes = withinRange(matching(selectSizes(db), filter), filter, order, { after, until });
  // One record more than requested shows whether there are more.
  const found = await run(inOrder(sizes, order).limit(options.maxRecords + 1));
  const page = fitting(found, options);
  const last = page.at(-1);
  const ids = page.map((row) => row.audit_id);
  const records = db.selectFrom('audit_records').selectAll().where('audit_id', 'in', ids);
  const rows = last ? await run(inOrder(records, order)) : [];
  return { rows, next: last && page.length < found.length ? positionOf(last) : undefined };
}

/** The last of so many records behind `after`, whatever a filter finds; undefined if fewer are left. */
export async function endOfWindow(
  { db, run }: AuditQueries,
  { filter, order, after }: Pick<PageOptions, 'filter' | 'order' | 'after'>,
  count: number,
): Promise<AuditPosition | undefined> {
  const records = matching(db.selectFrom('audit_records').select(['timestamp_ms', 'audit_id']), {
    tenantId: filter.tenantId,
  });
  const ahead = inOrder(withinRange(records, filter, order, { after }), order);
  const [end] = await run(ahead.limit(1).offset(count - 1));
  return end && positionOf(end);
}

function inOrder<
  Query extends { orderBy(column: 'timestamp_ms' | 'audit_id', direction: 'asc' | 'desc'): Query },
>(query: Query, { columns, direction }: ReadingOrder): Query {
  return columns.reduce((sorted, column) => sorted.orderBy(column, direction), query);
}

const positionOf = (row: { timestamp_ms: number; audit_id: string }): AuditPosition => ({
  timestampMs: row.timestamp_ms,
  auditId: row.audit_id,
});

/** The order in which records are read. The last column is unique. */
interface ReadingOrder {
  readonly columns: readonly ('timestamp_ms' | 'audit_id')[];
  readonly direction: 'asc' | 'desc';
}

/** By time within a tenant; over all tenants by id, which begins with the time. */
export const orderFor = (
  { tenantId }: AuditFilter,
  direction: ReadingOrder['direction'],
): ReadingOrder => ({
  columns: tenantId === null ? ['audit_id'] : ['timestamp_ms', 'audit_id'],
  direction,
});

/**
 * Restricts a query to the records behind `after` up to and with `until`, and to the time of a filter. A bound that another
 * implies is left out: SQLite seeks with only one of two, and would read everything between them.
 */
function withinRange<Row>(
  query: RecordsQuery<Row>,
  { fromMs, toMs }: Pick<AuditFilter, 'fromMs' | 'toMs'>,
  { columns, direction }: ReadingOrder,
  { after, until }: Pick<PageOptions, 'after' | 'until'>,
): RecordsQuery<Row> {
  const isByTime = columns[0] === 'timestamp_ms';
  const [lowest, highest] = direction === 'asc' ? [after, until] : [until, after];
  const [afterwards, upTo] = direction === 'asc' ? (['>', '<='] as const) : (['<', '>='] as const);
  let ranged = query;
  if (fromMs !== undefined && !(isByTime && lowest && lowest.timestampMs >= fromMs)) {
    ranged = ranged.where('timestamp_ms', '>=', fromMs);
  }
  if (toMs !== undefined && !(isByTime && highest && highest.timestampMs < toMs)) {
    ranged = ranged.where('timestamp_ms', '<', toMs);
  }
  const compared = (operator: '<' | '<=' | '>' | '>=', { timestampMs, auditId }: AuditPosition) =>
    isByTime
      ? ranged.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('timestamp_ms', 'audit_id'), operator, tuple(timestampMs, auditId)),
        )
      : ranged.where('audit_id', operator, auditId);
  if (after) ranged = compared(afterwards, after);
  if (until) ranged = compared(upTo, until);
  return ranged;
}

/** Columns that may be long. */
const LONG_COLUMNS = [
  'arguments',
  'upstream_url',
  'error_message',
  'public_data_message',
  'answer',
] as const;
/** Estimate for all other columns of a record as JSON, with the names of the members. */
const FIXED_BYTES = 1024;

/** Every record with its size, without its values. */
function selectSizes(db: Kysely<Tables>) {
  const sizes = LONG_COLUMNS.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`);
  const bytes = sql<number>`${sql.lit(FIXED_BYTES)} + ${sql.join(sizes, sql` + `)}`;
  return db.selectFrom('audit_records').select(['audit_id', 'timestamp_ms', bytes.as('bytes')]);
}

type Sized = Awaited<ReturnType<ReturnType<typeof selectSizes>['execute']>>[number];

/** The first of the records, as many as the limits allow, but at least one. */
function fitting(found: readonly Sized[], { maxRecords, maxBytes }: PageOptions): Sized[] {
  const page: Sized[] = [];
  let bytes = 0;
  for (const row of found.slice(0, maxRecords)) {
    if (bytes >= maxBytes) break;
    page.push(row);
    bytes += row.bytes;
  }
  return page;
}
