import { failureOrigin } from '../audit/record/failure-origin.ts';
import {
  type AuditRecordsTable,
  LATENCY_COLUMNS,
  type StatisticsTable,
} from '../platform/database/tables.ts';
import { type Latencies, latencyColumn } from './latencies.ts';

const NO_CALLS = {
  calls: 0,
  caller_failures: 0,
  key_failures: 0,
  upstream_failures: 0,
  gateway_failures: 0,
  hits: 0,
  stale: 0,
  coalesced: 0,
  misses: 0,
  bypassed: 0,
  requests: 0,
  response_bytes: 0,
  ...(Object.fromEntries(LATENCY_COLUMNS.map((column) => [column, 0])) as Latencies),
} satisfies Partial<StatisticsTable>;

type Counter = keyof typeof NO_CALLS;

/** The columns that are added up. */
export const COUNTERS = Object.keys(NO_CALLS) as readonly Counter[];

/** What is counted of a set of calls, as it is stored. */
export type Tally = Record<Counter | 'last_ms', number>;

export const newTally = (): Tally => ({ ...NO_CALLS, last_ms: 0 });

const BY_CACHE_STATUS = {
  HIT: 'hits',
  STALE: 'stale',
  COALESCED: 'coalesced',
  MISS: 'misses',
  BYPASS: 'bypassed',
} as const;

/** Adds one call. */
export function addRecord(tally: Tally, record: AuditRecordsTable): void {
  const origin = failureOrigin(record.outcome, record.error_code, record.cause);
  tally.calls++;
  if (origin) tally[`${origin}_failures`]++;
  if (record.cache_status) tally[BY_CACHE_STATUS[record.cache_status]]++;
  if (sentRequest(record)) tally.requests++;
  tally.response_bytes += record.response_bytes;
  tally.last_ms = Math.max(tally.last_ms, record.timestamp_ms);
  tally[latencyColumn(record.duration_ms)]++;
}

/** Adds all calls of another tally; `times` = -1 subtracts them. */
export function addTally(tally: Tally, other: Readonly<Tally>, times = 1): void {
  for (const counter of COUNTERS) {
    // Most latencies have no calls.
    if (other[counter] !== 0) tally[counter] += times * other[counter];
  }
  tally.last_ms = Math.max(tally.last_ms, other.last_ms);
}

export function sumOf(...tallies: readonly (Readonly<Tally> | undefined)[]): Tally {
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
const sentRequest = ({ cache_status: status, error_code: code }: AuditRecordsTable): boolean =>
  status === 'MISS' || status === 'BYPASS' || (code !== null && AFTER_REQUEST.has(code));
