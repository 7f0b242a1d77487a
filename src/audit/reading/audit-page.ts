import { type Kysely, sql } from 'kysely';
import type { AuditRecordsTable, Tables } from '../../platform/database/tables.ts';

/** A row of a page, and how many rows its query found, whether the page has them or not. */
export type PageRow = AuditRecordsTable & { readonly found: number };

/** Columns that may be long; sizes are read without reading the texts themselves. */
const LONG_COLUMNS = ['arguments', 'upstream_url', 'error_message', 'public_data_message'] as const;
/** All other columns of a record as JSON, with the members' names. */
const FIXED_BYTES = 1024;

/** Every record with its size, to choose a page from. */
export const selectSizes = (db: Kysely<Tables>) =>
  db
    .selectFrom('audit_records')
    .select(['audit_id', 'timestamp_ms', sizeOf(...LONG_COLUMNS).as('bytes')]);

function sizeOf(...columns: readonly string[]) {
  const sizes = columns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`);
  return sql<number>`${sql.lit(FIXED_BYTES)} + ${sql.join(sizes, sql` + `)}`;
}

/** What a page may hold, and in which order. */
export interface PageLimits {
  /** The last column is unique. */
  readonly orderBy: readonly ('timestamp_ms' | 'audit_id')[];
  readonly direction: 'asc' | 'desc';
  readonly maxRecords: number;
  readonly maxBytes: number;
}

/**
 * Of the records that `chosen` finds, in its order, as many as fit into `maxRecords` and `maxBytes`, but at least one.
 * Rows of older versions may be of any size: none is read that the page does not hold.
 */
export function pageWithin(
  db: Kysely<Tables>,
  chosen: ReturnType<typeof selectSizes>,
  { orderBy, direction, maxRecords, maxBytes }: PageLimits,
) {
  const order = sql.join(orderBy.map((column) => sql`${sql.ref(column)} ${sql.raw(direction)}`));
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
  for (const column of orderBy) page = page.orderBy(column, direction);
  return page;
}
