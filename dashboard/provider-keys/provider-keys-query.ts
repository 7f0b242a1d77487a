import { queryOptions } from '@tanstack/react-query';
import i18next from 'i18next';
import { type AdminAnswer, ask } from '../api/call-admin.ts';
import { type Language, languageOf } from '../texts/language.ts';

export type ProviderKeyList = AdminAnswer<'GET /provider-keys'>;
export type ProviderKey = ProviderKeyList['keys'][number];
export type KeyServer = ProviderKey['servers'][number];
export type KeyDataset = ProviderKey['datasets'][number];
export type KeyTest = AdminAnswer<'POST /provider-keys/:name/test'>;

export type TenantKey = AdminAnswer<'GET /tenants/:tenant/provider-keys'>['providerKeys'][number];

/** The gateway says in the language of the page where to get a key. */
const inUse = (): Language => languageOf(i18next.language);

export const tenantKeysQuery = (tenant: string) =>
  queryOptions({
    queryKey: ['own-keys', tenant, inUse()],
    queryFn: ask('GET /tenants/:tenant/provider-keys', { tenant, lang: inUse() }),
  });

export const providerKeysQuery = () =>
  queryOptions({
    queryKey: ['provider-keys', inUse()],
    queryFn: ask('GET /provider-keys', { lang: inUse() }),
  });

export const toolCountOf = ({ servers }: ProviderKey): number =>
  servers.reduce((count, { tools }) => count + tools.length, 0);

/** Whether calls have a value for the key. */
export const isInUse = ({ origin }: ProviderKey): boolean =>
  origin === 'environment' || origin === 'stored' || origin === 'sandbox';

/** The provider's host: what people know a key by. */
export function hostOf({ servers }: Pick<ProviderKey, 'servers'>): string | null {
  const url = servers.find((server) => server.url !== null)?.url;
  return url ? new URL(url).hostname.replace(/^www\./, '') : null;
}

/** Only web addresses become links. */
export const safeUrl = (url: string | null): string | undefined =>
  url !== null && /^https?:\/\//.test(url) ? url : undefined;

/** The origin of an address that a person typed; null for what is no web address. */
export function originOf(text: string): string | null {
  const url = URL.parse(text.trim());
  return url && /^https?:$/.test(url.protocol) ? url.origin : null;
}

/** Longest value that the gateway stores, in characters. */
export const MAX_VALUE_LENGTH = 4096;

/** What is wrong with a value, as the gateway would say after it was sent; null if nothing is. */
export function valueIssue(value: string): 'tooLong' | 'control' | null {
  const text = value.trim();
  if (text.length > MAX_VALUE_LENGTH) return 'tooLong';
  return /[\p{Cc}\u2028\u2029]/u.test(text) ? 'control' : null;
}
