import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type AdminAnswer, ask } from '../api/call-admin.ts';
import type { Language } from '../texts/language.ts';
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

export const connectQuery = (lang: Language) =>
  queryOptions({
    queryKey: ['connect', lang],
    queryFn: ask('GET /connect', { origin: window.location.origin, lang }),
    staleTime: Number.POSITIVE_INFINITY,
  });
