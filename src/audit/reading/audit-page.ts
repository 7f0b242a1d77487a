import { type Kysely, sql } from 'kysely';
import type { AuditRecordsTable, Tables } from '../../platform/database/tables.ts';
import type { RecordsQuery } from './audit-filter.ts';
import type { ReadingOrder } from './audit-range.ts';

/** A row of a page, and the number of rows that its query found, including those beyond the page. */
export type PageRow = AuditRecordsTable & { readonly found: number };

/** Columns that may be long. Their sizes are read without their values. */
const LONG_COLUMNS = [
  'arguments',
  'upstream_url',
  'error_message',
  'public_data_message',
  'answer',
] as const;
/** Estimate for all other columns of a record as JSON, with the names of the members. */
const FIXED_BYTES = 1024;

interface RecordSize {
  readonly audit_id: string;
  readonly timestamp_ms: number;
  readonly bytes: number;
}

/** Every record with its size, for choosing a page. */
export const selectSizes = (db: Kysely<Tables>): RecordsQuery<RecordSize> =>
  db
    .selectFrom('audit_records')
    .select(['audit_id', 'timestamp_ms', sizeOf(...LONG_COLUMNS).as('bytes')]);

function sizeOf(...columns: readonly string[]) {
  const sizes = columns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`);
  return sql<number>`${sql.lit(FIXED_BYTES)} + ${sql.join(sizes, sql` + `)}`;
}

/** The size of a row by the same estimate. */
export const rowBytes = (row: AuditRecordsTable): number =>
  LONG_COLUMNS.reduce((sum, column) => sum + Buffer.byteLength(row[column] ?? ''), FIXED_BYTES);

/** The bounds of a page and its order. */
export interface PageLimits extends ReadingOrder {
  readonly maxRecords: number;
  readonly maxBytes: number;
}

/**
 * As many of the records that `chosen` finds, in its order, as `maxRecords` and `maxBytes` allow, but at least one. Rows
 * of older versions may be of any size, so only rows of the page are read.
 */
export function pageWithin(
  db: Kysely<Tables>,
  chosen: RecordsQuery<RecordSize>,
  { columns, direction, maxRecords, maxBytes }: PageLimits,
) {
  const order = sql.join(columns.map((column) => sql`${sql.ref(column)} ${sql.raw(direction)}`));
  const bytesBefore = sql<number>`sum(bytes) over (order by ${order}) - bytes`;
  let page = db
    .with('chosen', () => chosen)
    .with('sized', (cte) =>
      cte.selectFrom('chosen').select(['audit_id', bytesBefore.as('bytes_before')]),
    )
    .selectFrom('audit_records')
    .selectAll()
    .select(sql<number>`(select count(*) from chosen)`.as('found'))
    .where('audit_id', 'in', (eb) =>
      eb.selectFrom('sized').select('audit_id').where('bytes_before', '<', maxBytes),
    )
    .limit(maxRecords);
  for (const column of columns) page = page.orderBy(column, direction);
  return page;
}
