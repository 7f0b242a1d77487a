import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import i18next from 'i18next';
import { type AdminAnswer, ask, callAdmin } from '../api/call-admin.ts';
import { type Language, languageOf } from '../texts/language.ts';
import type { CatalogueSearch } from './catalogue-search.ts';

/** Tools are described by the gateway, in the language of the page. */
const language = (): Language => languageOf(i18next.language);

export type ToolCard = AdminAnswer<'GET /catalogue'>['tools'][number];

const PAGE = 60;

/** The tools that match, page by page. Without a tenant, those that every visitor may see. */
export const toolsQuery = (tenant: string | null, { state, ...filters }: CatalogueSearch) =>
  infiniteQueryOptions({
    queryKey: ['catalogue', tenant, language(), filters, state],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filters, lang: language(), limit: PAGE, cursor: pageParam ?? undefined };
      return tenant === null
        ? callAdmin('GET /catalogue', query, { signal })
        : callAdmin('GET /tenants/:tenant/catalogue', { tenant, ...query, state }, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: 60_000,
  });

/** The tools that fit the words best, for a list of suggestions. */
export const suggestionsQuery = (tenant: string | null, q: string, limit: number) =>
  queryOptions({
    queryKey: ['catalogue', tenant, language(), 'suggestions', q, limit],
    queryFn:
      tenant === null
        ? ask('GET /catalogue', { q, limit, lang: language() })
        : ask('GET /tenants/:tenant/catalogue', { tenant, q, limit, lang: language() }),
    staleTime: 60_000,
  });

/** One tool in full. */
export const toolQuery = (tenant: string | null, tool: string) =>
  queryOptions({
    queryKey: ['catalogue', tenant, language(), 'tool', tool],
    queryFn:
      tenant === null
        ? ask('GET /catalogue/:tool', { tool, lang: language() })
        : ask('GET /tenants/:tenant/catalogue/:tool', { tenant, tool, lang: language() }),
    staleTime: 60_000,
  });
