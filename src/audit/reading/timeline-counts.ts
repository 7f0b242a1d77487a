import { sql } from 'kysely';
import type { AuditOutcome } from '../record/audit-record.ts';
import { type AuditFilter, costOf, FAILED, findsFailures, matching } from './audit-filter.ts';
import type { AuditQueries } from './audit-queries.ts';
import type { BucketGrid } from './timeline-buckets.ts';

/** Records of one outcome in one bucket, by its number since 1970. */
export interface TimelineCount {
  readonly bucket: number;
  readonly outcome: AuditOutcome;
  readonly count: number;
}

/** A filter with both ends of its time. */
type Span = AuditFilter & { readonly fromMs: number; readonly toMs: number };

/**
 * Counts the records of a span. The index of all records lacks the outcome, and reading a million rows takes seconds:
 * unless rows must be read anyway, successful calls are all calls without the failed ones.
 */
export async function countTimeline(
  queries: AuditQueries,
  span: Span,
  grid: BucketGrid,
): Promise<readonly TimelineCount[]> {
  if (!countsEntries(span)) return countRows(queries, span, grid);
  const any = { ...span, outcome: undefined };
  const all = await countEntries(queries, any, grid);
  const failed = await countRows(queries, any, grid, FAILED);
  const ok = all.map((each) => withoutFailed(each, failed));
  return span.outcome === 'ok' ? ok : [...failed, ...ok];
}

/** Whether the records of a filter are counted in the indexes alone. */
export const countsEntries = (filter: AuditFilter): boolean =>
  !findsFailures(filter) && costOf({ ...filter, outcome: undefined }) !== 'rows';

function withoutFailed(
  { bucket, count }: Omit<TimelineCount, 'outcome'>,
  failed: readonly TimelineCount[],
): TimelineCount {
  const others = failed.filter((each) => each.bucket === bucket);
  const failures = others.reduce((sum, each) => sum + each.count, 0);
  // A failure may have been recorded between the two queries.
  return { bucket, outcome: 'ok', count: Math.max(0, count - failures) };
}

function countRows(
  { db, run }: AuditQueries,
  span: Span,
  grid: BucketGrid,
  also = sql<boolean>`1 = 1`,
) {
  const bucket = sql<number>`timestamp_ms / ${sql.lit(grid.lengthMs)}`;
  return run(
    matching(
      db
        .selectFrom('audit_records')
        .select([bucket.as('bucket'), 'outcome', sql<number>`count(*)`.as('count')]),
      span,
    )
      .where('timestamp_ms', '>=', span.fromMs)
      .where('timestamp_ms', '<', span.toMs)
      .where(also)
      .groupBy([bucket, 'outcome']),
  );
}

/** Counts entries of the index, bucket by bucket: grouping them would take four times as long. */
async function countEntries({ db, run }: AuditQueries, span: Span, { lengthMs }: BucketGrid) {
  const first = Math.floor(span.fromMs / lengthMs);
  const last = Math.floor((span.toMs - 1) / lengthMs);
  const values = Array.from({ length: last - first + 1 }, (_, index) => {
    const lowMs = Math.max(span.fromMs, (first + index) * lengthMs);
    const highMs = Math.min(span.toMs, (first + index + 1) * lengthMs);
    return sql`(${sql.lit(first + index)}, ${sql.lit(lowMs)}, ${sql.lit(highMs)})`;
  });
  const entries = matching(
    db.selectFrom('audit_records').select(sql<number>`count(*)`.as('n')),
    span,
  )
    .where('timestamp_ms', '>=', sql<number>`column2`)
    .where('timestamp_ms', '<', sql<number>`column3`);
  // Both databases give the columns of VALUES these names; SQLite accepts no others.
  return run(
    db
      .selectFrom(sql`(values ${sql.join(values)})`.as('spans'))
      .select([sql<number>`column1`.as('bucket'), sql<number>`(${entries})`.as('count')]),
  );
}
