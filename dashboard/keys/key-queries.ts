import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type AdminAnswer, ask, callAdmin } from '../api/call-admin.ts';
import { RANGES_MS, type Range } from '../overview/overview-search.ts';
import type { KeySearch } from './key-search.ts';

/** A key as the gateway shows it. */
export type ApiKey = AdminAnswer<'GET /tenants/:tenant/keys/:id'>;

const PAGE = 50;

/** The common prefix of the queries about a tenant's keys, which a change invalidates. */
export const keysOf = (tenant: string) => ['keys', tenant] as const;

export const keyListQuery = (tenant: string, search: KeySearch, cursor: string | undefined) =>
  queryOptions({
    queryKey: [...keysOf(tenant), 'list', search, cursor],
    queryFn: ask('GET /tenants/:tenant/keys', { tenant, ...search, cursor, limit: PAGE }),
    placeholderData: keepPreviousData,
  });

export const keyQuery = (tenant: string, id: string) =>
  queryOptions({
    queryKey: [...keysOf(tenant), 'key', id],
    queryFn: ask('GET /tenants/:tenant/keys/:id', { tenant, id }),
  });

/** The calls with a key in the period that ends now. */
export const keyUsageQuery = (tenant: string, id: string, range: Range) =>
  queryOptions({
    queryKey: ['statistics', 'of-key', tenant, id, range],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - RANGES_MS[range]).toISOString();
      const question = { tenant, from, by: 'key', top: 1, subject: id } as const;
      return callAdmin('GET /tenants/:tenant/statistics/series', question, { signal });
    },
    refetchInterval: 30_000,
    placeholderData: keepPreviousData,
  });

const FAILURES = 5;

/** The last calls with a key that failed. */
export const keyFailuresQuery = (tenant: string, id: string) =>
  queryOptions({
    queryKey: ['audit', tenant, 'failures-of-key', id],
    queryFn: ask('GET /tenants/:tenant/audit', {
      tenant,
      key: id,
      origin: 'failed',
      limit: FAILURES,
    }),
  });

const HISTORY = 50;

/** The latest changes to a key. */
export const keyHistoryQuery = (tenant: string, id: string) =>
  queryOptions({
    queryKey: [...keysOf(tenant), 'history', id],
    queryFn: ask('GET /tenants/:tenant/trail', { tenant, subject: id, limit: HISTORY }),
  });

export const hygieneQuery = (tenant: string) =>
  queryOptions({
    queryKey: [...keysOf(tenant), 'hygiene'],
    queryFn: ask('GET /tenants/:tenant/keys/hygiene', { tenant }),
  });

export const previewQuery = (tenant: string, allowedTools: string[] | null) =>
  queryOptions({
    queryKey: ['key-tools', tenant, 'preview', allowedTools],
    queryFn: ask('POST /tenants/:tenant/key-tools/preview', { tenant, allowedTools }),
    placeholderData: keepPreviousData,
  });
