import type { AuditPosition } from './audit-cursor.ts';
import type { AuditFilter, RecordsQuery } from './audit-filter.ts';

/** The order in which records are read. The last column is unique. */
export interface ReadingOrder {
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

/** A part of the records in their order. */
export interface AuditRange {
  /** The last record before the range. */
  readonly after?: AuditPosition | undefined;
  /** The last record of the range. */
  readonly until?: AuditPosition | undefined;
}

/**
 * Restricts a query to a range and to the time of a filter. A bound that another implies is left out: SQLite seeks with
 * only one of two, and would read everything between them.
 */
export function withinRange<Row>(
  query: RecordsQuery<Row>,
  { fromMs, toMs }: Pick<AuditFilter, 'fromMs' | 'toMs'>,
  { columns, direction }: ReadingOrder,
  { after, until }: AuditRange,
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
