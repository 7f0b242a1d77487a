import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import {
  type AuditFilter,
  costOf,
  FAILED,
  type FilterCost,
  findsFailures,
  matching,
  type RecordsQuery,
} from './audit-filter.ts';
import type { AuditQueries } from './audit-search.ts';

/**
 * How many records each step of a reader examines, by the cost of its filter; the last number repeats. The first steps
 * are short because most filters match soon, and because a cold disk reads a few thousand records in 100 ms.
 */
const EXAMINED: Readonly<Record<Exclude<FilterCost, 'none'>, readonly number[]>> = {
  index: [5_000, 25_000, 50_000],
  rows: [2_000, 10_000],
};

/** The last record of a page or step, after which the next one starts. */
export interface AuditPosition {
  readonly timestampMs: number;
  readonly auditId: string;
}

/** One step through the records of a filter. */
interface StepOptions {
  readonly filter: AuditFilter;
  readonly order: ReadingOrder;
  /** The number of the step, from 0. */
  readonly number: number;
  /** The last record that earlier steps examined. */
  readonly after: AuditPosition | undefined;
  /** Where the step ends, if the one before was full; otherwise it is looked up. */
  readonly until?: AuditPosition | undefined;
  readonly maxRecords: number;
  readonly maxBytes: number;
}

/**
 * Examines a bounded number of records, so that no query takes long, whatever it searches for, and returns those that
 * match. The next step begins after `next`, undefined if every record was examined. `isFull` if a limit has ended the step
 * before all matching records were read; the next one then has the same end, `until`.
 */
export async function readStep(queries: AuditQueries, options: StepOptions) {
  const { filter, order, after } = options;
  const { db, run } = queries;
  const until = options.until ?? (await endOfStep(queries, options));
  const sizes = withinRange(matching(selectSizes(db), filter), filter, order, { after, until });
  // One record more than requested shows whether there are more.
  const found = await run(inOrder(sizes, order).limit(options.maxRecords + 1));
  const { page, bytes } = fitting(found, options);
  const last = page.at(-1);
  const ids = page.map((row) => row.audit_id);
  const records = db.selectFrom('audit_records').selectAll().where('audit_id', 'in', ids);
  const rows = last ? await run(inOrder(records, order)) : [];
  return last && page.length < found.length
    ? { rows, bytes, isFull: true, next: positionOf(last), until }
    : { rows, bytes, isFull: false, next: until, until: undefined };
}

/** The last record that a step examines; undefined if it examines all. */
async function endOfStep(
  { db, run }: AuditQueries,
  { filter, order, number, after }: StepOptions,
): Promise<AuditPosition | undefined> {
  const cost = costOf(filter);
  if (cost === 'none') return undefined;
  const records = matching(db.selectFrom('audit_records').select(['timestamp_ms', 'audit_id']), {
    tenantId: filter.tenantId,
  });
  const examined =
    findsFailures(filter) && filter.tenantId !== null ? records.where(FAILED) : records;
  const count = EXAMINED[cost][number] ?? EXAMINED[cost].at(-1) ?? 1;
  const ahead = inOrder(withinRange(examined, filter, order, { after }), order);
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
  { after, until }: Pick<StepOptions, 'after' | 'until'>,
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

/** The first of the records, as many as the limits allow, but at least one: those of older versions may be of any size. */
function fitting(found: readonly Sized[], { maxRecords, maxBytes }: StepOptions) {
  const page: Sized[] = [];
  let bytes = 0;
  for (const row of found.slice(0, maxRecords)) {
    if (bytes >= maxBytes) break;
    page.push(row);
    bytes += row.bytes;
  }
  return { page, bytes };
}
