import type { CountedRecord } from '../audit/record/counted-record.ts';
import { failureOrigin } from '../audit/record/failure-origin.ts';
import type { StatisticsTable } from '../platform/database/tables.ts';
import { addDuration, addLatencies, type Latencies, newLatencies } from './latencies.ts';

const NO_CALLS = {
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
} as const satisfies Partial<StatisticsTable>;

type Counter = keyof typeof NO_CALLS;

/** The columns that are added up. */
export const COUNTERS = Object.keys(NO_CALLS) as readonly Counter[];

type Numbers = Record<Counter | 'last_ms', number>;

/** What is counted of a set of calls. */
export type Tally = Numbers & { readonly latencies: Latencies };

/** A tally as it is stored, with packed latencies. */
export type StoredTally = Readonly<Numbers> & { readonly latencies: Uint8Array };

export const newTally = (): Tally => ({ ...NO_CALLS, last_ms: 0, latencies: newLatencies() });

const BY_CACHE_STATUS = {
  HIT: 'hits',
  STALE: 'stale',
  COALESCED: 'coalesced',
  MISS: 'misses',
  BYPASS: 'bypassed',
} as const;

/** Adds one call. */
export function addRecord(tally: Tally, record: CountedRecord): void {
  const origin = failureOrigin(record.outcome, record.error_code);
  tally.calls++;
  if (origin) tally[`${origin}_failures`]++;
  if (record.cache_status) tally[BY_CACHE_STATUS[record.cache_status]]++;
  if (sentRequest(record)) tally.requests++;
  tally.response_bytes += record.response_bytes;
  tally.last_ms = Math.max(tally.last_ms, record.timestamp_ms);
  addDuration(tally.latencies, record.duration_ms);
}

/** Adds all calls of another tally; `times` = -1 subtracts them. */
export function addTally(tally: Tally, other: Tally | StoredTally, times = 1): void {
  for (const counter of COUNTERS) tally[counter] += times * other[counter];
  tally.last_ms = Math.max(tally.last_ms, other.last_ms);
  addLatencies(tally.latencies, other.latencies, times);
}

export function sumOf(...tallies: readonly (Tally | StoredTally | undefined)[]): Tally {
  const sum = newTally();
  for (const tally of tallies) if (tally) addTally(sum, tally);
  return sum;
}

/** Errors after a request has been sent. The others stopped the call before. */
const AFTER_REQUEST: ReadonlySet<string> = new Set([
  'upstream_timeout',
  'upstream_unreachable',
  'upstream_too_large',
  'upstream_bad_payload',
]);

/** Whether the call sent a request to its upstream, which may count towards a quota. */
const sentRequest = ({ cache_status: status, error_code: code }: CountedRecord): boolean =>
  status === 'MISS' || status === 'BYPASS' || (code !== null && AFTER_REQUEST.has(code));
