import { sql } from 'kysely';
import { isoTime } from '../../platform/kernel/iso-time.ts';
import { type FailureOrigin, failureOrigin } from '../record/failure-origin.ts';
import {
  type AuditFilter,
  costOf,
  FAILED,
  findsFailures,
  matching,
  type RecordsQuery,
} from './audit-filter.ts';
import type { AuditQueries } from './audit-search.ts';

/** How many calls ended in which way, over time. */
export interface AuditTimeline {
  /** ISO 8601, UTC; of the filter, otherwise of the oldest and newest record. Null without records. */
  readonly from: string | null;
  readonly to: string | null;
  readonly bucketMs: number;
  readonly buckets: readonly TimelineBucket[];
  /** Whether the time was up before every record was counted. */
  readonly isPartial: boolean;
  /** Records before this time are not counted yet; null if every record is counted. */
  readonly countedBackTo: string | null;
}

/** Successful calls, and failed ones by who is responsible for them. */
interface TimelineBucket extends Record<'ok' | FailureOrigin, number> {
  /** When it starts: ISO 8601, UTC. */
  readonly at: string;
}

interface TimelineOptions {
  /** `countedBackTo` of a partial timeline with the same filter: counts the records before. */
  readonly beforeMs?: number | undefined;
  /** No further step begins that would end after this time if it took as long as the one before, in milliseconds. */
  readonly maxMs: number;
}

const NOTHING: AuditTimeline = {
  from: null,
  to: null,
  bucketMs: 0,
  buckets: [],
  isPartial: false,
  countedBackTo: null,
};

/** Counts the records of a filter in at most 200 buckets, newest first, until the time is up. */
export async function readTimeline(
  queries: AuditQueries,
  filter: AuditFilter,
  { beforeMs, maxMs }: TimelineOptions,
): Promise<AuditTimeline> {
  const endMs = performance.now() + maxMs;
  const records = timesOf(queries, filter);
  const fromMs = filter.fromMs ?? (await firstTime(queries, records, 'asc'));
  const newestMs = filter.toMs ?? (await firstTime(queries, records, 'desc'));
  if (fromMs === undefined || newestMs === undefined) return NOTHING;
  const toMs = filter.toMs ?? newestMs + 1;
  const grid = bucketsBetween(fromMs, toMs);
  const buckets = emptyBuckets(grid);
  let highMs = Math.min(toMs, beforeMs ?? toMs);
  for (let number = 0; highMs > fromMs; number++) {
    const startedMs = performance.now();
    const span = { ...filter, fromMs, toMs: highMs };
    const lowMs = (await startOfStep(queries, span, number)) ?? fromMs;
    await countStep(queries, { ...span, fromMs: lowMs }, grid, buckets);
    highMs = lowMs;
    if (2 * performance.now() - startedMs >= endMs) break;
  }
  const isPartial = highMs > fromMs;
  return {
    from: isoTime(fromMs),
    to: isoTime(toMs),
    bucketMs: grid.lengthMs,
    // A failure may be recorded between the counts of all calls and of the failed ones.
    buckets: buckets.map((bucket) => ({ ...bucket, ok: Math.max(0, bucket.ok) })),
    isPartial,
    countedBackTo: isPartial ? isoTime(highMs) : null,
  };
}

/** The times of a tenant's records. */
const timesOf = ({ db }: AuditQueries, { tenantId }: AuditFilter) =>
  matching(db.selectFrom('audit_records').select('timestamp_ms'), { tenantId });

async function firstTime(
  { run }: AuditQueries,
  times: ReturnType<typeof timesOf>,
  direction: 'asc' | 'desc',
  skipped = 0,
): Promise<number | undefined> {
  const [row] = await run(times.orderBy('timestamp_ms', direction).limit(1).offset(skipped));
  return row?.timestamp_ms;
}

/** A filter with both ends of its time. */
type Span = AuditFilter & { readonly fromMs: number; readonly toMs: number };

const within = <Row>(query: RecordsQuery<Row>, { fromMs, toMs }: Span): RecordsQuery<Row> =>
  query.where('timestamp_ms', '>=', fromMs).where('timestamp_ms', '<', toMs);

/** How many records each step examines; the last number repeats. Counting index entries is cheaper than reading rows. */
const EXAMINED = { index: [20_000, 60_000], rows: [5_000, 10_000] } as const;

/** The time of the earliest record that a step examines; undefined if it examines all. */
function startOfStep(
  queries: AuditQueries,
  span: Span,
  number: number,
): Promise<number | undefined> {
  const readsRows = !countsEntries(span) && costOf(span) === 'rows';
  const sizes = EXAMINED[readsRows ? 'rows' : 'index'];
  const examined = sizes[number] ?? sizes[1];
  const times = within(timesOf(queries, span), span);
  return firstTime(
    queries,
    findsFailures(span) ? times.where(FAILED) : times,
    'desc',
    examined - 1,
  );
}

const emptyBuckets = ({ count, startMs, lengthMs }: BucketGrid): TimelineBucket[] =>
  Array.from({ length: count }, (_, index) => ({
    at: isoTime(startMs + index * lengthMs),
    ok: 0,
    caller: 0,
    upstream: 0,
    gateway: 0,
  }));

/**
 * Adds the records of a span to the buckets. The index of all records lacks the outcome, and reading a million rows takes
 * seconds: unless rows must be read anyway, successful calls are all calls without the failed ones.
 */
async function countStep(
  queries: AuditQueries,
  span: Span,
  grid: BucketGrid,
  buckets: readonly TimelineBucket[],
): Promise<void> {
  /** `bucket` is the number of a bucket since 1970. */
  const add = (bucket: number, origin: 'ok' | FailureOrigin, count: number): void => {
    const found = buckets[bucket - grid.startMs / grid.lengthMs];
    if (found) found[origin] += count;
  };
  if (!countsEntries(span)) {
    const rows = await countRows(queries, span, grid);
    for (const { bucket, origin, count } of rows) add(bucket, origin, count);
    return;
  }
  const any = { ...span, outcome: undefined };
  for (const { bucket, count } of await countEntries(queries, any, grid)) add(bucket, 'ok', count);
  for (const { bucket, origin, count } of await countRows(queries, any, grid, FAILED)) {
    add(bucket, 'ok', -count);
    if (span.outcome !== 'ok') add(bucket, origin, count);
  }
}

/** Whether the records of a filter are counted in the indexes alone. */
const countsEntries = (filter: AuditFilter): boolean =>
  !findsFailures(filter) && costOf({ ...filter, outcome: undefined }) !== 'rows';

async function countRows(
  { db, run }: AuditQueries,
  span: Span,
  grid: BucketGrid,
  also = sql<boolean>`1 = 1`,
) {
  const bucket = sql<number>`timestamp_ms / ${sql.lit(grid.lengthMs)}`;
  const counts = db
    .selectFrom('audit_records')
    .select([bucket.as('bucket'), 'outcome', 'error_code', sql<number>`count(*)`.as('count')]);
  const groups = within(matching(counts, span), span).where(also);
  const rows = await run(groups.groupBy([bucket, 'outcome', 'error_code']));
  return rows.map(({ outcome, error_code: code, ...row }) => ({
    ...row,
    origin: failureOrigin(outcome, code) ?? ('ok' as const),
  }));
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

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Most buckets of a timeline. */
export const MAX_BUCKETS = 200;

/** Lengths of a bucket that people can read on an axis. */
const LENGTHS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 14, 28].map((days) => days * DAY_MS),
];

type BucketGrid = ReturnType<typeof gridOf>;

/** The shortest readable buckets that cover a time with at most `MAX_BUCKETS` of them. */
export function bucketsBetween(fromMs: number, toMs: number): BucketGrid {
  const grid = LENGTHS_MS.map((lengthMs) => gridOf(lengthMs, fromMs, toMs)).find(
    ({ count }) => count <= MAX_BUCKETS,
  );
  const days = Math.ceil((toMs - fromMs) / (MAX_BUCKETS - 1) / DAY_MS);
  return grid ?? gridOf(days * DAY_MS, fromMs, toMs);
}

/** Buckets, each of which begins at a multiple of the length, in UTC; `startMs` is the start of the first. */
function gridOf(lengthMs: number, fromMs: number, toMs: number) {
  const startMs = Math.floor(fromMs / lengthMs) * lengthMs;
  return { lengthMs, startMs, count: Math.max(0, Math.ceil((toMs - startMs) / lengthMs)) };
}
