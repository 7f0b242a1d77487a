import { queryOptions, useQuery } from '@tanstack/react-query';
import { type AdminAnswer, ask, callAdmin } from '../api/call-admin.ts';

export type ListedApi = AdminAnswer<'GET /tenants/:tenant/registrations'>['registrations'][number];
export type Api = AdminAnswer<'GET /tenants/:tenant/registrations/:id'>;
export type Job = AdminAnswer<'GET /tenants/:tenant/registration-jobs/:id'>;
export type Report = NonNullable<Job['report']>;
export type Operation = Report['operations'][number];
export type Refreshed = AdminAnswer<'POST /tenants/:tenant/registrations/:id/refresh'>;
export type Changes = Refreshed['changes'];

/** What every part of an API's page is given. */
export interface ApiPartProps {
  readonly tenant: string;
  readonly api: Api;
}

/** Everything that is shown of the APIs of a tenant. */
export const apisKey = (tenant: string) => ['apis', tenant] as const;

/** Lists change when a job ends. */
const LIVE = { staleTime: 0, refetchInterval: 5_000 };

export const apisQuery = (tenant: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: [...apisKey(tenant), 'list', cursor],
    queryFn: ask('GET /tenants/:tenant/registrations', { tenant, cursor }),
    ...LIVE,
  });

export const apiQuery = (tenant: string, id: string) =>
  queryOptions({
    queryKey: [...apisKey(tenant), 'api', id],
    queryFn: ask('GET /tenants/:tenant/registrations/:id', { tenant, id }),
  });

export const reportQuery = (tenant: string, id: string, revision: number) =>
  queryOptions({
    queryKey: [...apisKey(tenant), 'report', id, revision],
    queryFn: ask('GET /tenants/:tenant/registrations/:id/report', { tenant, id }),
  });

/** One tool as its callers see it. */
export const toolQuery = (tenant: string, tool: string) =>
  queryOptions({
    queryKey: [...apisKey(tenant), 'tool', tool],
    queryFn: ask('GET /tenants/:tenant/catalogue/:tool', { tenant, tool }),
  });

export const jobsKey = (tenant: string) => [...apisKey(tenant), 'jobs'] as const;

export const jobsQuery = (tenant: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: [...jobsKey(tenant), 'list', cursor],
    queryFn: ask('GET /tenants/:tenant/registration-jobs', { tenant, cursor, limit: 10 }),
    ...LIVE,
  });

/** How often a job is read again until it has ended. */
const JOB_POLL_MS = 1_000;

export const jobQuery = (tenant: string, id: string) =>
  queryOptions({
    queryKey: [...jobsKey(tenant), id],
    queryFn: ({ signal }) =>
      callAdmin('GET /tenants/:tenant/registration-jobs/:id', { tenant, id }, { signal }),
    refetchInterval: ({ state }) => state.data?.progress !== 1 && JOB_POLL_MS,
  });

/** The keys that the page for the tenant's own keys shows, too. */
export const tenantKeysKey = (tenant: string) => ['own-keys', tenant] as const;

/** The provider keys that calls of the tenant send. */
export const useTenantKeys = (tenant: string) =>
  useQuery({
    queryKey: tenantKeysKey(tenant),
    queryFn: ask('GET /tenants/:tenant/provider-keys', { tenant }),
  });
