import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type AdminAnswer, ask, callAdmin } from '../api/call-admin.ts';
import type { TenantFacts } from './first-steps.ts';
import { type Grouping, type OverviewSearch, periodOf } from './overview-search.ts';

export type Totals = AdminAnswer<'GET /tenants/:tenant/statistics/totals'>;
export type Series = AdminAnswer<'GET /tenants/:tenant/statistics/series'>;
export type Figures = Totals['all'];
export type Status = AdminAnswer<'GET /statistics/status'>;
export type Refusals = AdminAnswer<'GET /tenants/:tenant/statistics/refusals'>;
export type Quota = AdminAnswer<'GET /statistics/quota'>['quotas'][number];

/** What the figures are about. `tenant` is null for all tenants. */
export interface Scope {
  readonly tenant: string | null;
  readonly period: Pick<OverviewSearch, 'range' | 'from' | 'to'>;
}

/** While the page is visible. */
const REFRESH_MS = 10_000;
const TOP_LINES = 5;
const TOP_ROWS = 8;
const LIVE = {
  refetchInterval: REFRESH_MS,
  staleTime: REFRESH_MS / 2,
  placeholderData: keepPreviousData,
} as const;

interface Question {
  readonly from: string;
  readonly to: string;
  readonly by: Grouping;
  readonly top: number;
}

/** Only operators ask about all tenants, and only they group by tenant. */
const ofTenant = (tenant: string, { by, ...rest }: Question) =>
  ({ ...rest, tenant, by: by === 'tenant' ? 'none' : by }) as const;

const askTotals = (tenant: string | null, question: Question, signal: AbortSignal) =>
  tenant === null
    ? callAdmin('GET /statistics/totals', question, { signal })
    : callAdmin('GET /tenants/:tenant/statistics/totals', ofTenant(tenant, question), { signal });

const askSeries = (tenant: string | null, question: Question, signal: AbortSignal) =>
  tenant === null
    ? callAdmin('GET /statistics/series', question, { signal })
    : callAdmin('GET /tenants/:tenant/statistics/series', ofTenant(tenant, question), { signal });

export const seriesQuery = ({ tenant, period }: Scope, by: Grouping) =>
  queryOptions({
    queryKey: ['statistics', 'series', tenant, period, by],
    queryFn: ({ signal }) =>
      askSeries(tenant, { ...periodOf(period, Date.now()), by, top: TOP_LINES }, signal),
    ...LIVE,
  });

/** The period before the shown one, to compare. */
export const beforeQuery = ({ tenant, period }: Scope) =>
  queryOptions({
    queryKey: ['statistics', 'before', tenant, period],
    queryFn: ({ signal }) =>
      askTotals(tenant, { ...periodOf(period, Date.now(), 1), by: 'none', top: 1 }, signal),
    ...LIVE,
    refetchInterval: 6 * REFRESH_MS,
  });

export const topQuery = ({ tenant, period }: Scope, by: Grouping) =>
  queryOptions({
    queryKey: ['statistics', 'top', tenant, period, by],
    queryFn: ({ signal }) =>
      askTotals(tenant, { ...periodOf(period, Date.now()), by, top: TOP_ROWS }, signal),
    ...LIVE,
  });

export const statusQuery = (tenant: string | null) =>
  queryOptions({
    queryKey: ['statistics', 'status', tenant],
    queryFn: ({ signal }) =>
      tenant === null
        ? callAdmin('GET /statistics/status', {}, { signal })
        : callAdmin('GET /tenants/:tenant/statistics/status', { tenant }, { signal }),
    ...LIVE,
  });

export const quotaQuery = queryOptions({
  queryKey: ['statistics', 'quota'],
  queryFn: ask('GET /statistics/quota', {}),
  ...LIVE,
});

/** The refused requests, and over all tenants the addresses with wrong keys. */
export const refusalsQuery = ({ tenant, period }: Scope) =>
  queryOptions({
    queryKey: ['statistics', 'refusals', tenant, period],
    queryFn: async ({ signal }) => {
      const times = periodOf(period, Date.now());
      if (tenant === null) return callAdmin('GET /statistics/refusals', times, { signal });
      const ofTenant = { tenant, ...times };
      return {
        refusals: await callAdmin('GET /tenants/:tenant/statistics/refusals', ofTenant, { signal }),
        wrongKeys: null,
      };
    },
    ...LIVE,
  });

/** What a tenant has done so far: its keys, calls and people. For its admins. */
export const firstStepsQuery = (tenant: string) =>
  queryOptions({
    queryKey: ['first-steps', tenant],
    queryFn: async ({ signal }): Promise<TenantFacts> => {
      const period = periodOf({ range: '90d' }, Date.now());
      const [providerKeys, keys, totals, members, invitations] = await Promise.all([
        callAdmin('GET /tenants/:tenant/provider-keys', { tenant }, { signal }),
        callAdmin('GET /tenants/:tenant/keys', { tenant, limit: 100 }, { signal }),
        askTotals(tenant, { ...period, by: 'none', top: 1 }, signal),
        callAdmin('GET /tenants/:tenant/members', { tenant }, { signal }),
        callAdmin('GET /tenants/:tenant/invitations', { tenant }, { signal }),
      ]);
      return {
        providerKeys: providerKeys.providerKeys,
        keys: keys.keys,
        calls: totals.all.calls,
        members: members.count,
        invitations: invitations.invitations.length,
      };
    },
    ...LIVE,
  });
