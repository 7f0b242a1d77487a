import type { Provenance } from '../../src/calls/provenance.ts';
import type { CallOutcome, RowCount } from '../../src/calls/tool-call.ts';
import { isoTime } from '../../src/platform/kernel/time.ts';
import type { CatalogEntry } from '../../src/tools/catalog-entry.ts';
import type { UpstreamResponse } from '../../src/upstreams/payload/upstream-response.ts';

const FETCHED_AT_MS = Date.UTC(2026, 10, 22, 6);

/** Of data about which nothing is known. */
export const PROVENANCE: Provenance = {
  source: {
    publisher: null,
    dataset: 'Sky',
    datasetId: null,
    docUrl: null,
    licence: { code: 'unknown', title: null, url: null },
    attribution: null,
    asOf: { kind: 'unknown' },
    missing: [],
  },
  fetchedAt: new Date(FETCHED_AT_MS).toISOString(),
  ageSeconds: 0,
  asOf: null,
  asked: {},
  steppedBack: null,
  nextPublication: null,
  isSample: false,
  stale: null,
};

/** The facts of an outcome that a test gives: members of the outcome and of its response side by side. */
export type OutcomeFacts = Partial<Omit<CallOutcome, 'entry' | 'response' | 'rows'>> &
  Partial<Omit<UpstreamResponse, 'publicData' | 'rows'>> & {
    readonly tool?: string;
    readonly server?: string;
    readonly returnsMcpContent?: boolean;
    readonly publicData?: UpstreamResponse['publicData'] | undefined;
    /** Rows of the response. */
    readonly rows?: number | undefined;
    /** By default, all rows are returned. */
    readonly count?: RowCount | undefined;
  };

/** The outcome of a successful call of `sky_now`, changed by the given facts. */
export function makeOutcome(facts: OutcomeFacts = {}): CallOutcome {
  const { tool: name = 'sky_now', server = 'Sky', returnsMcpContent = false, ...others } = facts;
  const { status = 200, url = 'https://sky.example/now', json, ok = true, ...more } = others;
  const { publicData, rows, fetchedAtMs = FETCHED_AT_MS, ...rest } = more;
  const { count = countOf(rows), total, asOf, message, code, ...members } = rest;
  const entry = {
    id: `weather.sky.${name}`,
    tool: { name, method: 'GET', returnsMcpContent },
    server: { id: 'weather/sky', name: server },
  } as unknown as CatalogEntry;
  return {
    entry,
    auditId: 'aud_1',
    cacheStatus: 'MISS',
    upstreamMs: 12,
    response: {
      status,
      url,
      json: json ?? Buffer.from('{}'),
      ok,
      fetchedAtMs,
      fetchedAt: isoTime(fetchedAtMs),
      ...(publicData ? { publicData } : {}),
      ...(message === undefined ? {} : { message }),
      ...(code === undefined ? {} : { code }),
      ...(rows === undefined ? {} : { rows }),
    },
    isError: false,
    kind: members.isError ? 'failed' : rows === 0 && !total ? 'no_data' : 'ok',
    cause: null,
    rows: count,
    unreduced: undefined,
    where: undefined,
    table: null,
    provenance: PROVENANCE,
    ...members,
  };
}

const countOf = (rows: number | undefined): RowCount | undefined =>
  rows === undefined ? undefined : { returned: rows, omitted: 0, total: null, next: null };
