import { queryOptions } from '@tanstack/react-query';
import type { AdminAnswer } from '../api/admin-types.ts';
import { callAdmin } from '../api/call-admin.ts';

export type ProviderKeyList = AdminAnswer<'GET /provider-keys'>;
export type ProviderKey = ProviderKeyList['keys'][number];
export type KeyServer = ProviderKey['servers'][number];
export type KeyTest = AdminAnswer<'POST /provider-keys/:name/test'>;

export const providerKeysQuery = queryOptions({
  queryKey: ['provider-keys'],
  queryFn: ({ signal }) => callAdmin('GET /provider-keys', {}, { signal }),
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
