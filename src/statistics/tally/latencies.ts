/**
 * How many calls took how long, by buckets of a logarithmic scale. Two of them are merged by adding their counts, so
 * quantiles of any period can be computed from those of its minutes, hours or days.
 */
export type Latencies = Map<number, number>;

/** Everything below counts as this. */
const SHORTEST_MS = 0.05;
/** The upper end of a bucket in relation to its lower end. */
const RATIO = 1.1;
/** The last bucket: 9 minutes and more, which is longer than any call may take. */
export const LAST_BUCKET = 170;
/** A quantile is at most this much larger or smaller than the duration of the call that it stands for. */
export const MAX_RELATIVE_ERROR = (RATIO - 1) / (RATIO + 1);

const LOG_RATIO = Math.log(RATIO);

/** The bucket of a duration in milliseconds. */
export function bucketOf(durationMs: number): number {
  if (!(durationMs > SHORTEST_MS)) return 0;
  return Math.min(LAST_BUCKET, Math.ceil(Math.log(durationMs / SHORTEST_MS) / LOG_RATIO));
}

/** The duration, in milliseconds, whose relative distance from both ends of the bucket is the same. */
const durationOf = (bucket: number): number =>
  bucket === 0 ? SHORTEST_MS : (2 * SHORTEST_MS * RATIO ** bucket) / (RATIO + 1);

/** Adds `count` calls to a bucket. */
export const addToBucket = (latencies: Latencies, bucket: number, count: number): void => {
  latencies.set(bucket, (latencies.get(bucket) ?? 0) + count);
};

/** Adds all of `others`. */
export function addLatencies(latencies: Latencies, others: Latencies): void {
  for (const [bucket, count] of others) addToBucket(latencies, bucket, count);
}

/** The durations in milliseconds below which the given shares of the calls are, by the counts of the buckets; null without calls. */
export function quantiles(counts: Float64Array, shares: readonly number[]): (number | null)[] {
  let total = 0;
  for (const count of counts) total += Math.max(0, count);
  return shares.map((share) => {
    let rank = Math.max(1, Math.ceil(share * total));
    for (let bucket = 0; bucket < counts.length; bucket++) {
      rank -= Math.max(0, counts[bucket] ?? 0);
      if (rank <= 0) return DURATIONS_MS[bucket] ?? null;
    }
    return null;
  });
}

/** Of each bucket: to four digits, which is more than the buckets know. Computing them takes longer than finding them. */
const DURATIONS_MS: readonly number[] = Array.from({ length: LAST_BUCKET + 1 }, (_, bucket) =>
  Number(durationOf(bucket).toPrecision(4)),
);
