import { LAST_BUCKET } from '../tally/latencies.ts';
import { addPacked } from '../tally/pack-latencies.ts';
import { COUNTERS, type Counter } from '../tally/tally.ts';

/** A tally as it is stored, with packed latencies. */
export type StoredTally = Readonly<Record<Counter | 'last_ms', number>> & {
  readonly latencies: Uint8Array;
};

/** A sum of tallies. Its latencies are counts by bucket: two weeks by upstream add half a million of them. */
export type Sum = Record<Counter | 'last_ms', number> & { readonly latencies: Float64Array };

export const newSum = (): Sum => ({
  calls: 0,
  caller_failures: 0,
  upstream_failures: 0,
  gateway_failures: 0,
  hits: 0,
  stale: 0,
  coalesced: 0,
  misses: 0,
  bypassed: 0,
  requests: 0,
  response_bytes: 0,
  last_ms: 0,
  latencies: new Float64Array(LAST_BUCKET + 1),
});

/** Adds a tally; `times` = -1 subtracts it. */
export function addStored(sum: Sum, tally: StoredTally, times = 1): void {
  for (const counter of COUNTERS) sum[counter] += times * tally[counter];
  sum.last_ms = Math.max(sum.last_ms, tally.last_ms);
  addPacked(sum.latencies, tally.latencies, times);
}

/** The sum of tallies. */
export function sumOf(tallies: Iterable<StoredTally>): Sum {
  const sum = newSum();
  for (const tally of tallies) addStored(sum, tally);
  return sum;
}

/** The sum of sums. */
export function totalOf(sums: readonly Sum[]): Sum {
  const total = newSum();
  for (const sum of sums) {
    for (const counter of COUNTERS) total[counter] += sum[counter];
    total.last_ms = Math.max(total.last_ms, sum.last_ms);
    for (let bucket = 0; bucket < total.latencies.length; bucket++) {
      total.latencies[bucket] = (total.latencies[bucket] ?? 0) + (sum.latencies[bucket] ?? 0);
    }
  }
  return total;
}
