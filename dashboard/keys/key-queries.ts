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

/** When a period that ends now begins. */
export const startOf = (range: Range): string =>
  new Date(Date.now() - RANGES_MS[range]).toISOString();
const LIVE = { refetchInterval: 30_000, placeholderData: keepPreviousData } as const;

/** The requests of a key that were refused in the period that ends now. */
export const keyRefusalsQuery = (tenant: string, id: string, range: Range) =>
  queryOptions({
    queryKey: ['statistics', 'refused-to-key', tenant, id, range],
    queryFn: ({ signal }) => {
      const question = { tenant, from: startOf(range), key: id };
      return callAdmin('GET /tenants/:tenant/statistics/refusals', question, { signal });
    },
    ...LIVE,
  });

const TOOLS = 20;

/** The tools that were called most with a key in the period that ends now. */
export const keyToolsQuery = (tenant: string, id: string, range: Range) =>
  queryOptions({
    queryKey: ['statistics', 'tools-of-key', tenant, id, range],
    queryFn: ({ signal }) => {
      const question = { tenant, from: startOf(range), by: 'tool', top: TOOLS, key: id } as const;
      return callAdmin('GET /tenants/:tenant/statistics/totals', question, { signal });
    },
    ...LIVE,
  });

/** The calls with a key in the period that ends now. */
export const keyUsageQuery = (tenant: string, id: string, range: Range) =>
  queryOptions({
    queryKey: ['statistics', 'of-key', tenant, id, range],
    queryFn: ({ signal }) => {
      const question = { tenant, from: startOf(range), by: 'key', top: 1, subject: id } as const;
      return callAdmin('GET /tenants/:tenant/statistics/series', question, { signal });
    },
    ...LIVE,
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
