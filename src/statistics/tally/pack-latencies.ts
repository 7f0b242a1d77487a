import type { Latencies } from './latencies.ts';

/**
 * Latencies as bytes: for each bucket in use, its distance from the one before and its count, as numbers of 7 bits per
 * byte. A bucket takes two bytes as long as its count is below 128.
 */
export function packLatencies(latencies: Latencies): Uint8Array {
  const bytes: number[] = [];
  let before = 0;
  for (const [bucket, count] of [...latencies].sort(([a], [b]) => a - b)) {
    pushNumber(bytes, bucket - before);
    pushNumber(bytes, count);
    before = bucket;
  }
  return Uint8Array.from(bytes);
}

/** The reverse of `packLatencies`. */
export function unpackLatencies(bytes: Uint8Array): Latencies {
  const latencies: Latencies = new Map();
  eachBucket(bytes, (bucket, count) => latencies.set(bucket, count));
  return latencies;
}

/** Adds packed latencies to counts by bucket; `times` = -1 subtracts them. */
export function addPacked(counts: Float64Array, bytes: Uint8Array, times: number): void {
  eachBucket(bytes, (bucket, count) => {
    counts[bucket] = (counts[bucket] ?? 0) + times * count;
  });
}

function eachBucket(bytes: Uint8Array, visit: (bucket: number, count: number) => void): void {
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

function pushNumber(bytes: number[], value: number): void {
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
}
