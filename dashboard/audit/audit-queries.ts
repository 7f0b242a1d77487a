import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { type AdminAnswer, ask, callAdmin } from '../api/call-admin.ts';
import { usePerson } from '../session/session.ts';
import type { AuditFilterInput } from './audit-search.ts';

export type AuditPageData = AdminAnswer<'GET /tenants/:tenant/audit'>;
export type AuditRecordData = AuditPageData['records'][number];
export type TimelineData = AdminAnswer<'GET /tenants/:tenant/audit/timeline'>;
export type NamesData = AdminAnswer<'GET /tenants/:tenant/audit/names'>;

export type RecordWithRepeat = AdminAnswer<'GET /tenants/:tenant/audit/:auditId'>;

const PAGE = 50;

/** One page of records. The page before stays on the screen while the next one is loaded. */
export const useRecords = (tenant: string, filter: AuditFilterInput, cursor: string | undefined) =>
  useQuery({
    queryKey: ['audit', tenant, 'list', filter, cursor ?? null],
    queryFn: ask('GET /tenants/:tenant/audit', { tenant, ...filter, cursor, limit: PAGE }),
    placeholderData: keepPreviousData,
  });

export const useRecord = (tenant: string, auditId: string) =>
  useQuery({
    queryKey: ['audit', tenant, 'record', auditId],
    queryFn: ask('GET /tenants/:tenant/audit/:auditId', { tenant, auditId }),
    staleTime: Number.POSITIVE_INFINITY,
  });

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

/** Requests for one timeline. Each counts a few hundred thousand records. */
const MAX_ROUNDS = 40;

/** Counts newest records first, and shows what is counted so far. */
export const timelineQuery = (tenant: string, filter: AuditFilterInput) =>
  queryOptions({
    queryKey: ['audit', tenant, 'timeline', filter],
    queryFn: async ({ signal, client, queryKey }): Promise<TimelineData> => {
      const ask = (input: AuditFilterInput & { before?: string }) =>
        callAdmin('GET /tenants/:tenant/audit/timeline', { tenant, ...input }, { signal });
      let sum = await ask(filter);
      for (let round = 1; sum.countedBackTo !== null && round < MAX_ROUNDS; round++) {
        client.setQueryData(queryKey, sum);
        const ends = { ...(sum.from && { from: sum.from }), ...(sum.to && { to: sum.to }) };
        sum = addTimelines(sum, await ask({ ...filter, ...ends, before: sum.countedBackTo }));
      }
      return sum;
    },
  });

/** Adds the older part of the same timeline. */
export const addTimelines = (newer: TimelineData, older: TimelineData): TimelineData => ({
  ...older,
  buckets: newer.buckets.map((bucket, at) => {
    const other = older.buckets[at];
    return {
      at: bucket.at,
      ok: bucket.ok + (other?.ok ?? 0),
      caller: bucket.caller + (other?.caller ?? 0),
      upstream: bucket.upstream + (other?.upstream ?? 0),
      gateway: bucket.gateway + (other?.gateway ?? 0),
    };
  }),
});
