import { LATENCY_COLUMNS, type LatencyColumn } from '../platform/database/tables.ts';

/**
 * How many calls took how long: counts by bucket of a logarithmic scale. They are merged by adding, so quantiles of any
 * period can be computed from the latencies of its minutes, hours or days.
 */
export type Latencies = Record<LatencyColumn, number>;

/** A call from the cache takes about 0.2 ms. Everything below this bound counts as this. */
const SHORTEST_MS = 0.1;
/**
 * The upper end of a bucket in relation to its lower end: a quantile is up to (RATIO - 1) / (RATIO + 1) off. With 1.5, that
 * would be exactly 20 %, and more after rounding. The last of the 35 buckets ends at 77 s and has longer calls, too.
 */
const RATIO = 1.49;

const LOG_RATIO = Math.log(RATIO);
const LAST = LATENCY_COLUMNS.length - 1;

/** The column that counts a call of so many milliseconds. */
export function latencyColumn(durationMs: number): LatencyColumn {
  const bucket =
    durationMs > SHORTEST_MS ? Math.ceil(Math.log(durationMs / SHORTEST_MS) / LOG_RATIO) : 0;
  return LATENCY_COLUMNS[Math.min(LAST, bucket)] ?? 'latency_00';
}

/** Of each bucket, the duration with the same relative distance from both ends, to four digits: more than the buckets know. */
const DURATIONS_MS: readonly number[] = LATENCY_COLUMNS.map((_, bucket) =>
  bucket === 0
    ? SHORTEST_MS
    : Number(((2 * SHORTEST_MS * RATIO ** bucket) / (RATIO + 1)).toPrecision(4)),
);

/** The durations in milliseconds below which the given shares of the calls are; null without calls. */
export function quantiles(latencies: Latencies, shares: readonly number[]): (number | null)[] {
  const counts = LATENCY_COLUMNS.map((column) => latencies[column]);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return shares.map((share) => {
    let rank = Math.max(1, Math.ceil(share * total));
    const bucket = counts.findIndex((count) => {
      rank -= count;
      return rank <= 0;
    });
    return DURATIONS_MS[bucket] ?? null;
  });
}
