import { isoTime } from '../../platform/kernel/iso-time.ts';
import { type AuditFilter, costOf, FAILED, findsFailures, matching } from './audit-filter.ts';
import type { AuditQueries } from './audit-queries.ts';
import { type BucketGrid, bucketsBetween } from './timeline-buckets.ts';
import { countsEntries, countTimeline, type TimelineCount } from './timeline-counts.ts';

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

export interface TimelineBucket {
  /** When it starts: ISO 8601, UTC. */
  readonly at: string;
  readonly ok: number;
  readonly upstreamError: number;
  readonly error: number;
}

export interface TimelineOptions {
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
  const fromMs = filter.fromMs ?? (await endOfRecords(queries, filter, 'asc'));
  const newestMs = filter.toMs ?? (await endOfRecords(queries, filter, 'desc'));
  if (fromMs === undefined || newestMs === undefined) return NOTHING;
  const toMs = filter.toMs ?? newestMs + 1;
  const grid = bucketsBetween(fromMs, toMs);
  const counts: TimelineCount[] = [];
  let highMs = Math.min(toMs, beforeMs ?? toMs);
  for (let number = 0; highMs > fromMs; number++) {
    const startedMs = performance.now();
    const span = { fromMs, toMs: highMs };
    const lowMs = (await startOfStep(queries, { ...filter, ...span }, number)) ?? fromMs;
    counts.push(
      ...(await countTimeline(queries, { ...filter, fromMs: lowMs, toMs: highMs }, grid)),
    );
    highMs = lowMs;
    if (2 * performance.now() - startedMs >= endMs) break;
  }
  const isPartial = highMs > fromMs;
  return {
    from: isoTime(fromMs),
    to: isoTime(toMs),
    bucketMs: grid.lengthMs,
    buckets: fill(grid, counts),
    isPartial,
    countedBackTo: isPartial ? isoTime(highMs) : null,
  };
}

/** When the tenant's oldest or newest record was made. */
async function endOfRecords(
  { db, run }: AuditQueries,
  { tenantId }: AuditFilter,
  direction: 'asc' | 'desc',
): Promise<number | undefined> {
  const records = matching(db.selectFrom('audit_records').select('timestamp_ms'), { tenantId });
  const [row] = await run(records.orderBy('timestamp_ms', direction).limit(1));
  return row?.timestamp_ms;
}

/** How many records each step examines; the last number repeats. Counting index entries is cheaper than reading rows. */
const EXAMINED = { index: [20_000, 60_000], rows: [5_000, 10_000] } as const;

/** The time of the earliest record that a step examines; undefined if it examines all. */
async function startOfStep(
  { db, run }: AuditQueries,
  filter: AuditFilter & { readonly fromMs: number; readonly toMs: number },
  number: number,
): Promise<number | undefined> {
  const readsRows = !countsEntries(filter) && costOf(filter) === 'rows';
  const sizes = EXAMINED[readsRows ? 'rows' : 'index'];
  const examined = sizes[number] ?? sizes.at(-1) ?? 1;
  const { tenantId, fromMs, toMs } = filter;
  const records = matching(db.selectFrom('audit_records').select('timestamp_ms'), { tenantId })
    .where('timestamp_ms', '>=', fromMs)
    .where('timestamp_ms', '<', toMs);
  const [row] = await run(
    (findsFailures(filter) ? records.where(FAILED) : records)
      .orderBy('timestamp_ms', 'desc')
      .limit(1)
      .offset(examined - 1),
  );
  return row?.timestamp_ms;
}

function fill(grid: BucketGrid, counts: readonly TimelineCount[]): TimelineBucket[] {
  const buckets = Array.from({ length: grid.count }, (_, index) => ({
    at: isoTime(grid.startMs + index * grid.lengthMs),
    ok: 0,
    upstreamError: 0,
    error: 0,
  }));
  for (const { bucket, outcome, count } of counts) {
    const found = buckets[bucket - grid.startMs / grid.lengthMs];
    if (found) found[MEMBERS[outcome]] += count;
  }
  return buckets;
}

const MEMBERS = { ok: 'ok', upstream_error: 'upstreamError', error: 'error' } as const;
