import { keepPreviousData, type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { isStatus } from '../api/admin-error.ts';
import { type AdminAnswer, type AdminInput, ask, callAdmin, sendAdmin } from '../api/call-admin.ts';
import { usePerson } from '../session/session.ts';
import type { AuditFilterInput } from './audit-search.ts';

export type AuditPageData = AdminAnswer<'GET /tenants/:tenant/audit'>;
export type AuditRecordData = AuditPageData['records'][number];
export type NamesData = AdminAnswer<'GET /tenants/:tenant/audit/names'>;

const withRepeat = ({ repeat, ...record }: AdminAnswer<'GET /tenants/:tenant/audit/:auditId'>) => ({
  record,
  repeat,
});

export type RecordWithRepeat = ReturnType<typeof withRepeat>;

const PAGE = 50;

/** One page of records. The page before stays on the screen while the next one is loaded. */
export const useRecords = (tenant: string, filter: AuditFilterInput, cursor: string | undefined) =>
  useQuery({
    queryKey: ['audit', tenant, 'list', filter, cursor ?? null],
    queryFn: ask('GET /tenants/:tenant/audit', { tenant, ...filter, cursor, limit: PAGE }),
    placeholderData: keepPreviousData,
  });

export const recordQuery = (tenant: string, auditId: string) =>
  queryOptions({
    queryKey: ['audit', tenant, 'record', auditId],
    queryFn: ask('GET /tenants/:tenant/audit/:auditId', { tenant, auditId }),
    select: withRepeat,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Runs a tool as the person, and reads the record of the call; another replica may have it a moment later. */
export async function runAgain(
  queries: QueryClient,
  call: AdminInput<'POST /tenants/:tenant/tools/:tool/run'>,
): Promise<{ readonly record: AuditRecordData; readonly data: unknown }> {
  const answer = await sendAdmin('POST /tenants/:tenant/tools/:tool/run', call);
  const { result, error } = JSON.parse(await answer.text()).response;
  const { record } = withRepeat(
    await queries.fetchQuery({
      ...recordQuery(call.tenant, (result ?? error.data).auditId),
      retry: (failures, failure) => isStatus(failure, 404) && failures < 5,
    }),
  );
  return { record, data: result?.data };
}

/** What filters offer, and the names of callers. */
export const useNames = (tenant: string): NamesData | undefined =>
  useQuery({
    queryKey: ['audit', tenant, 'names'],
    queryFn: ask('GET /tenants/:tenant/audit/names', { tenant }),
    staleTime: 60_000,
  }).data;

/** The names of keys and of people who called, by their ids. */
export function useCallerNames(names: NamesData | undefined): ReadonlyMap<string, string> {
  const self = usePerson();
  const callers = [...(names?.keys ?? []), ...(names?.people ?? []), ...(self ? [self] : [])];
  return new Map(callers.flatMap(({ id, name }) => (name ? [[id, name]] : [])));
}

export type SeriesData = AdminAnswer<'GET /tenants/:tenant/statistics/series'>;

/** The longest time that a chart shows, if the filter has no start. */
const LONGEST_MS = 365 * 86_400_000;
/** Within which a call is counted. */
const STATISTICS_DELAY_MS = 3_000;
/** How often a chart without calls is asked for: where there are none, more would not find any. */
const MAX_LOOKS = 3;
/** Tools from which a filter can choose, by their calls. */
const TOP_TOOLS = 20;

/** What statistics are asked for the calls of a filter; undefined for a filter by what they do not have. */
export function chartQuestion({ from, to, tool, key, ...others }: AuditFilterInput, nowMs: number) {
  const isNarrowed = Object.values(others).some((value) => value !== undefined);
  if (isNarrowed || (tool !== undefined && key !== undefined)) return undefined;
  const times = { from: from ?? new Date(nowMs - LONGEST_MS).toISOString(), ...(to && { to }) };
  if (key !== undefined) return { ...times, by: 'key', top: 1, subject: key } as const;
  if (tool !== undefined) return { ...times, by: 'tool', top: TOP_TOOLS } as const;
  return { ...times, by: 'none', top: 1 } as const;
}

/** The calls of a filter over time; null if statistics do not have them. */
export const chartQuery = (tenant: string, filter: AuditFilterInput) =>
  queryOptions({
    queryKey: ['audit', tenant, 'chart', filter],
    queryFn: async ({ signal }) => {
      const question = chartQuestion(filter, Date.now());
      if (!question) return null;
      const series = await callAdmin(
        'GET /tenants/:tenant/statistics/series',
        { tenant, ...question },
        { signal },
      );
      return chartOf(series, filter);
    },
    // Statistics count a call up to three seconds after its record: the chart of the first calls draws itself.
    refetchInterval: ({ state }) =>
      state.data?.figures.calls === 0 && state.dataUpdateCount < MAX_LOOKS && STATISTICS_DELAY_MS,
  });

/** The line of the group that a filter finds, or of all calls. */
export function chartOf({ timesMs, groups }: SeriesData, { tool, key }: AuditFilterInput) {
  const line = groups.find(({ kind, name, subject }) => {
    if (key !== undefined) return subject === key;
    return tool === undefined ? kind === 'all' : kind === 'group' && name === tool;
  });
  return line ? { timesMs, ...line } : null;
}
