import { queryOptions } from '@tanstack/react-query';
import type { AdminAnswer } from '../api/admin-types.ts';
import { callAdmin } from '../api/call-admin.ts';
import type { KeySearch } from './key-search.ts';

/** A key as the gateway shows it. */
export type ApiKey = AdminAnswer<'GET /tenants/:tenant/keys/:id'>;
export type ToolChoices = AdminAnswer<'GET /tenants/:tenant/key-tools'>;

const PAGE = 50;

/** The common prefix of the queries about a tenant's keys, which a change invalidates. */
export const keysOf = (tenant: string) => ['keys', tenant] as const;

export const keyListQuery = (tenant: string, search: KeySearch, cursor: string | undefined) =>
  queryOptions({
    queryKey: [...keysOf(tenant), 'list', search, cursor],
    queryFn: ({ signal }) =>
      callAdmin(
        'GET /tenants/:tenant/keys',
        { tenant, ...search, cursor, limit: PAGE },
        { signal },
      ),
    placeholderData: (before) => before,
  });

export const hygieneQuery = (tenant: string) =>
  queryOptions({
    queryKey: [...keysOf(tenant), 'hygiene'],
    queryFn: ({ signal }) => callAdmin('GET /tenants/:tenant/keys/hygiene', { tenant }, { signal }),
  });

export const toolChoicesQuery = (tenant: string) =>
  queryOptions({
    queryKey: ['key-tools', tenant],
    queryFn: ({ signal }) => callAdmin('GET /tenants/:tenant/key-tools', { tenant }, { signal }),
    staleTime: 60_000,
  });

export const previewQuery = (tenant: string, allowedTools: string[] | null) =>
  queryOptions({
    queryKey: ['key-tools', tenant, 'preview', allowedTools],
    queryFn: ({ signal }) =>
      callAdmin('POST /tenants/:tenant/key-tools/preview', { tenant, allowedTools }, { signal }),
    placeholderData: (before) => before,
  });

export const connectQuery = queryOptions({
  queryKey: ['connect'],
  queryFn: ({ signal }) =>
    callAdmin('GET /connect', { origin: window.location.origin }, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});
