/**
 * How many calls took how long: counts by bucket of a logarithmic scale. They are merged by adding, so quantiles of any
 * period can be computed from those of its minutes, hours or days.
 */
export type Latencies = Float64Array;

/** Everything below counts as this. */
const SHORTEST_MS = 0.05;
/** The upper end of a bucket in relation to its lower end. */
const RATIO = 1.1;
/** 171: the last one is for 9 minutes and more, which is longer than any call may take. */
const BUCKETS = 171;
/** A quantile is at most this much larger or smaller than the duration of the call that it stands for. */
export const MAX_RELATIVE_ERROR = (RATIO - 1) / (RATIO + 1);

const LOG_RATIO = Math.log(RATIO);

export const newLatencies = (): Latencies => new Float64Array(BUCKETS);

/** Counts a call of so many milliseconds. */
export function addDuration(latencies: Latencies, durationMs: number): void {
  const bucket =
    durationMs > SHORTEST_MS ? Math.ceil(Math.log(durationMs / SHORTEST_MS) / LOG_RATIO) : 0;
  addCount(latencies, Math.min(BUCKETS - 1, bucket), 1);
}

const addCount = (latencies: Latencies, bucket: number, count: number): void => {
  latencies[bucket] = (latencies[bucket] ?? 0) + count;
};

/** Adds others, packed or not; `times` = -1 subtracts them. */
export function addLatencies(
  latencies: Latencies,
  others: Latencies | Uint8Array,
  times = 1,
): void {
  if (others instanceof Uint8Array) {
    eachPacked(others, (bucket, count) => addCount(latencies, bucket, times * count));
  } else {
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      addCount(latencies, bucket, times * (others[bucket] ?? 0));
    }
  }
}

/** Of each bucket, the duration with the same relative distance from both ends, to four digits: more than the buckets know. */
const DURATIONS_MS: readonly number[] = Array.from({ length: BUCKETS }, (_, bucket) =>
  bucket === 0
    ? SHORTEST_MS
    : Number(((2 * SHORTEST_MS * RATIO ** bucket) / (RATIO + 1)).toPrecision(4)),
);

/** The durations in milliseconds below which the given shares of the calls are; null without calls. */
export function quantiles(latencies: Latencies, shares: readonly number[]): (number | null)[] {
  let total = 0;
  for (const count of latencies) total += Math.max(0, count);
  return shares.map((share) => {
    let rank = Math.max(1, Math.ceil(share * total));
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      rank -= Math.max(0, latencies[bucket] ?? 0);
      if (rank <= 0) return DURATIONS_MS[bucket] ?? null;
    }
    return null;
  });
}

/**
 * Latencies as they are stored: for each bucket in use, its distance from the one before and its count, as numbers of 7
 * bits per byte. A bucket takes two bytes as long as its count is below 128.
 */
export function packLatencies(latencies: Latencies): Uint8Array {
  const bytes: number[] = [];
  let before = 0;
  for (const [bucket, count] of latencies.entries()) {
    if (count === 0) continue;
    pushNumber(bytes, bucket - before);
    pushNumber(bytes, count);
    before = bucket;
  }
  return Uint8Array.from(bytes);
}

function pushNumber(bytes: number[], value: number): void {
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
}

function eachPacked(bytes: Uint8Array, visit: (bucket: number, count: number) => void): void {
  let bucket = 0;
  let place = 0;
  const next = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[place++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (place < bytes.length) {
    bucket += next();
    visit(bucket, next());
  }
}
