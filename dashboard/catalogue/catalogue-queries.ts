import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AdminAnswer } from '../api/admin-types.ts';
import { callAdmin } from '../api/call-admin.ts';
import type { CatalogueSearch } from './routes.ts';

export type ToolCard = AdminAnswer<'GET /catalogue'>['tools'][number];
export type ToolDetails = AdminAnswer<'GET /catalogue/:tool'>;

const PAGE = 60;

/** The tools that match, page by page. Without a tenant, those that every visitor may see. */
export const toolsQuery = (tenant: string | null, filters: CatalogueSearch) =>
  infiniteQueryOptions({
    queryKey: ['catalogue', tenant, filters],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filters, limit: PAGE, cursor: pageParam ?? undefined };
      return tenant === null
        ? callAdmin('GET /catalogue', query, { signal })
        : callAdmin('GET /tenants/:tenant/catalogue', { tenant, ...query }, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: 60_000,
  });

/** The tools that fit the words best, for a list of suggestions. */
export const suggestionsQuery = (tenant: string | null, q: string, limit: number) =>
  queryOptions({
    queryKey: ['catalogue', tenant, 'suggestions', q, limit],
    queryFn: ({ signal }) =>
      tenant === null
        ? callAdmin('GET /catalogue', { q, limit }, { signal })
        : callAdmin('GET /tenants/:tenant/catalogue', { tenant, q, limit }, { signal }),
    staleTime: 60_000,
  });

/** One tool in full. */
export const toolQuery = (tenant: string | null, tool: string) =>
  queryOptions({
    queryKey: ['catalogue', tenant, 'tool', tool],
    queryFn: ({ signal }) =>
      tenant === null
        ? callAdmin('GET /catalogue/:tool', { tool }, { signal })
        : callAdmin('GET /tenants/:tenant/catalogue/:tool', { tenant, tool }, { signal }),
    staleTime: 60_000,
  });
