import {
  CALL_CAUSES,
  type CallCause,
  ORIGIN_FILTERS,
  ORIGIN_OF_CAUSE,
  type OriginFilter,
} from '../../src/audit/record/failure-origin.ts';

/** The filters that people choose. Each is a member of the page's address. */
export const FILTERS = [
  'tool',
  'status',
  'origin',
  'cause',
  'error',
  'upstream',
  'upstreamStatus',
  'key',
  'client',
  'cacheStatus',
  'requestId',
] as const;
export type FilterName = (typeof FILTERS)[number];

const OUTCOMES = ['ok', 'upstream_error', 'error'] as const;
export const UPSTREAM_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const;
export const CACHE_STATUSES = ['HIT', 'MISS', 'COALESCED', 'STALE', 'BYPASS'] as const;

/** Times that end now, by their name in the address. */
export const SPANS_MS = {
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 7 * 86_400_000,
  '30d': 30 * 86_400_000,
  all: null,
} as const;
export type SpanName = keyof typeof SPANS_MS;
export const SPANS = Object.keys(SPANS_MS) as SpanName[];
export const DEFAULT_SPAN: SpanName = '24h';

export interface AuditSearch {
  readonly tool?: string;
  readonly status?: (typeof OUTCOMES)[number];
  readonly origin?: OriginFilter;
  readonly cause?: CallCause;
  readonly error?: string;
  /** The host of the upstream. */
  readonly upstream?: string;
  readonly upstreamStatus?: (typeof UPSTREAM_CLASSES)[number];
  readonly key?: string;
  readonly client?: string;
  readonly cacheStatus?: (typeof CACHE_STATUSES)[number];
  readonly requestId?: string;
  /** ISO 8601. With one of these, `last` does not count. */
  readonly from?: string;
  readonly to?: string;
  readonly last?: SpanName;
  /** The record whose details are open. */
  readonly record?: string;
}

const MAX_LENGTHS = {
  tool: 200,
  error: 200,
  upstream: 200,
  key: 200,
  client: 100,
  requestId: 200,
  record: 100,
};

/** Reads an address. What the gateway would refuse is left out, so that no link leads to an error. */
export function decodeSearch(search: Readonly<Record<string, unknown>>): AuditSearch {
  const members: [string, string | undefined][] = [
    ...Object.entries(MAX_LENGTHS).map(([name, max]): [string, string | undefined] => [
      name,
      textIn(search[name], max),
    ]),
    ['status', oneOf(OUTCOMES, search['status'])],
    ['origin', oneOf(ORIGIN_FILTERS, search['origin'])],
    ['cause', oneOf(CALL_CAUSES, search['cause'])],
    ['upstreamStatus', oneOf(UPSTREAM_CLASSES, search['upstreamStatus'])],
    ['cacheStatus', oneOf(CACHE_STATUSES, search['cacheStatus'])],
    ['last', oneOf(SPANS, search['last'])],
    ['from', timeIn(search['from'])],
    ['to', timeIn(search['to'])],
  ];
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** The router parses what looks like JSON, such as a request id of digits. */
function textIn(value: unknown, maxLength: number): string | undefined {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  return typeof text === 'string' && text !== '' && text.length <= maxLength ? text : undefined;
}

function timeIn(value: unknown): string | undefined {
  const isTime =
    typeof value === 'string' && value.length <= 40 && !Number.isNaN(Date.parse(value));
  return isTime ? value : undefined;
}

const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((each) => each === value);

/** What the routes of the audit log take. */
export type AuditFilterInput = Omit<AuditSearch, 'last' | 'record'>;

/** The filter of an address. A span that ends now starts at its full minute, so that one view has one filter. */
export function filterOf(search: AuditSearch, nowMs: number): AuditFilterInput {
  const { last = DEFAULT_SPAN, record: _, ...filter } = search;
  const spanMs = SPANS_MS[last];
  if (filter.from !== undefined || filter.to !== undefined || spanMs === null) return filter;
  return {
    ...filter,
    from: new Date(Math.floor((nowMs - spanMs) / 60_000) * 60_000).toISOString(),
  };
}

/** The choice of an outcome: two members of the address, of which one is given. */
export const outcomeIn = ({ status, origin }: AuditSearch) => origin ?? status;

/** The address with an outcome, and without a cause that no such call has. */
export const withOutcome = (outcome: string | undefined, { cause }: AuditSearch) => ({
  status: outcome === 'ok' ? outcome : undefined,
  origin: outcome === 'ok' ? undefined : outcome,
  cause: cause && causesOf(outcome).includes(cause) ? cause : undefined,
});

/** The causes that calls with an outcome may have. */
export const causesOf = (outcome: string | undefined): CallCause[] =>
  CALL_CAUSES.filter((cause) => {
    if (outcome === 'ok') return cause === 'no_data';
    return !isOrigin(outcome) || ORIGIN_OF_CAUSE[cause] === outcome;
  });

const isOrigin = (outcome: string | undefined): boolean =>
  outcome !== 'failed' && ORIGIN_FILTERS.some((each) => each === outcome);

export const isFiltered = (search: AuditSearch): boolean =>
  FILTERS.some((name) => search[name] !== undefined);
