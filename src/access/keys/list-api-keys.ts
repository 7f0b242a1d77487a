import type { Kysely, SelectQueryBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { type ApiKeyRecord, type KeyState, selectKeys, toRecord } from './api-key-record.ts';

/** Keys on one page. */
export const MAX_KEY_PAGE = 500;

/** Lax keys whose laxness is stored with them. */
export type KeyLaxness = 'unlimited' | 'no_expiry' | 'all_tools';

export interface KeyQuery {
  readonly tenantId?: string | undefined;
  readonly state?: KeyState | undefined;
  /** Part of the name or of the description, or the beginning of the key. */
  readonly text?: string | undefined;
  readonly laxness?: KeyLaxness | undefined;
  /** The id of the last key of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Keys, newest first; at most `limit` of them, and never more than 500. */
export async function listKeys(
  db: Kysely<Tables>,
  query: KeyQuery,
  nowMs: number,
): Promise<readonly ApiKeyRecord[]> {
  const { tenantId, state, text, laxness, after, limit } = query;
  const rows = await selectKeys(db)
    .$if(tenantId !== undefined, (all) => all.where('api_keys.tenant_id', '=', tenantId ?? ''))
    .$if(after !== undefined, (all) => all.where('api_keys.id', '<', after ?? ''))
    .$if(state !== undefined, (all) => inState(all, state ?? 'active', nowMs))
    .$if(text !== undefined, (all) => containing(all, text ?? ''))
    .$if(laxness !== undefined, (all) => lax(all, laxness ?? 'unlimited'))
    .orderBy('api_keys.id', 'desc')
    .limit(Math.min(limit, MAX_KEY_PAGE))
    .execute();
  return rows.map(toRecord);
}

type KeysQuery<O> = SelectQueryBuilder<Tables, 'api_keys' | 'tenants', O>;

function inState<O>(keys: KeysQuery<O>, state: KeyState, nowMs: number): KeysQuery<O> {
  if (state === 'revoked') return keys.where('revoked_at_ms', 'is not', null);
  const live = keys.where('revoked_at_ms', 'is', null);
  if (state === 'expired') return live.where('expires_at_ms', '<=', nowMs);
  return live.where((eb) =>
    eb.or([eb('expires_at_ms', 'is', null), eb('expires_at_ms', '>', nowMs)]),
  );
}

function containing<O>(keys: KeysQuery<O>, text: string): KeysQuery<O> {
  const pattern = text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&');
  return keys.where((eb) =>
    eb.or([
      sql<boolean>`lower(api_keys.name) like ${`%${pattern}%`} escape '\\'`,
      sql<boolean>`lower(api_keys.description) like ${`%${pattern}%`} escape '\\'`,
      sql<boolean>`lower(api_keys.prefix) like ${`${pattern}%`} escape '\\'`,
    ]),
  );
}

function lax<O>(keys: KeysQuery<O>, laxness: KeyLaxness): KeysQuery<O> {
  if (laxness === 'no_expiry') return keys.where('expires_at_ms', 'is', null);
  if (laxness === 'all_tools') return keys.where('allowed_tools', 'is', null);
  return keys.where('rate_limit_per_minute', 'is', null).where('daily_limit', 'is', null);
}
