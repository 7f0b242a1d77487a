const CAPACITY = 512;

/** The durations of the last 512 responses of one origin, in milliseconds. */
export interface Latencies {
  add(durationMs: number): void;
  /** The duration that `share` (0 to 1) of the responses did not exceed; null before the first response. */
  percentileMs(share: number): number | null;
}

/** Adding costs one store; sorting happens only on request. */
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
