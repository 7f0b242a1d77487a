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

/** The buckets of a timeline. Each begins at a multiple of the length, in UTC. */
export interface BucketGrid {
  readonly lengthMs: number;
  /** The start of the first bucket. */
  readonly startMs: number;
  readonly count: number;
}

/** The shortest readable buckets that cover a time with at most `MAX_BUCKETS` of them. */
export function bucketsBetween(fromMs: number, toMs: number): BucketGrid {
  const grid = LENGTHS_MS.map((lengthMs) => gridOf(lengthMs, fromMs, toMs)).find(
    ({ count }) => count <= MAX_BUCKETS,
  );
  return grid ?? gridOf(wholeDays((toMs - fromMs) / (MAX_BUCKETS - 1)), fromMs, toMs);
}

function gridOf(lengthMs: number, fromMs: number, toMs: number): BucketGrid {
  const startMs = Math.floor(fromMs / lengthMs) * lengthMs;
  return { lengthMs, startMs, count: Math.max(0, Math.ceil((toMs - startMs) / lengthMs)) };
}

const wholeDays = (ms: number): number => Math.ceil(ms / DAY_MS) * DAY_MS;
