import type { CountedRecord } from '../../audit/record/counted-record.ts';
import type { StatisticsTable } from '../../platform/database/tables.ts';
import { failureOrigin, sentRequest } from './failure-origin.ts';
import { addLatencies, addToBucket, bucketOf, type Latencies } from './latencies.ts';
import { packLatencies, unpackLatencies } from './pack-latencies.ts';

/** The columns that are added up. */
export const COUNTERS = [
  'calls',
  'caller_failures',
  'upstream_failures',
  'gateway_failures',
  'hits',
  'stale',
  'coalesced',
  'misses',
  'bypassed',
  'requests',
  'response_bytes',
] as const satisfies readonly (keyof StatisticsTable)[];

export type Counter = (typeof COUNTERS)[number];

/** What is counted of a set of calls. */
export type Tally = Record<Counter, number> & { last_ms: number; readonly latencies: Latencies };

export const newTally = (): Tally => ({
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
  latencies: new Map(),
});

const BY_CACHE_STATUS = {
  HIT: 'hits',
  STALE: 'stale',
  COALESCED: 'coalesced',
  MISS: 'misses',
  BYPASS: 'bypassed',
} as const;

/** Adds one call. */
export function addRecord(tally: Tally, record: CountedRecord): void {
  const origin = failureOrigin(record);
  tally.calls++;
  if (origin) tally[`${origin}_failures`]++;
  if (record.cache_status) tally[BY_CACHE_STATUS[record.cache_status]]++;
  if (sentRequest(record)) tally.requests++;
  tally.response_bytes += record.response_bytes;
  tally.last_ms = Math.max(tally.last_ms, record.timestamp_ms);
  addToBucket(tally.latencies, bucketOf(record.duration_ms), 1);
}

/** Adds all calls of another tally. */
export function addTally(tally: Tally, other: Tally): void {
  for (const counter of COUNTERS) tally[counter] += other[counter];
  tally.last_ms = Math.max(tally.last_ms, other.last_ms);
  addLatencies(tally.latencies, other.latencies);
}

/** A tally as the columns of a row. */
export const toColumns = ({ latencies, ...numbers }: Tally) => ({
  ...numbers,
  latencies: packLatencies(latencies),
});

/** The tally of a row. */
export function tallyOf(
  row: Record<Counter | 'last_ms', number> & { latencies: Uint8Array },
): Tally {
  const tally = { ...newTally(), latencies: unpackLatencies(row.latencies) };
  for (const counter of COUNTERS) tally[counter] = row[counter];
  tally.last_ms = row.last_ms;
  return tally;
}
