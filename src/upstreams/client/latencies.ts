const CAPACITY = 512;

/** The durations of the last 512 answers of one origin, in milliseconds. */
export interface Latencies {
  add(durationMs: number): void;
  /** The duration that `share` (0 to 1) of the answers kept within; null before the first answer. */
  percentileMs(share: number): number | null;
}

/** Adding costs one store; sorting is left to whoever asks. */
export function createLatencies(): Latencies {
  const ring = new Float32Array(CAPACITY);
  let added = 0;
  return {
    add(durationMs) {
      ring[added % CAPACITY] = durationMs;
      added += 1;
    },
    percentileMs(share) {
      const sorted = ring.slice(0, Math.min(added, CAPACITY)).sort();
      return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
    },
  };
}
