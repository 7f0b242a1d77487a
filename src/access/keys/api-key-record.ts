import { hash, timingSafeEqual } from 'node:crypto';
import type { Kysely, Selectable, SelectQueryBuilder } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { ApiKeysTable, Tables } from '../../platform/database/tables.ts';
import { containsText, startsWithText } from '../../platform/database/text-match.ts';

/** Whether a key can be used, and if not, why. */
type KeyState = 'active' | 'expired' | 'revoked';

export function keyStateOf(
  { revokedAtMs, expiresAtMs }: Pick<ApiKeyRecord, 'revokedAtMs' | 'expiresAtMs'>,
  nowMs: number,
): KeyState {
  if (revokedAtMs !== null) return 'revoked';
  return expiresAtMs !== null && expiresAtMs <= nowMs ? 'expired' : 'active';
}

/** SHA-256 in hex, all that is stored of a key. 256 random bits need no slow hash. */
export const digestOf = (keyText: string): string => hash('sha256', keyText);

const selectKeys = (db: Kysely<Tables>) =>
  db
    .selectFrom('api_keys')
    .innerJoin('tenants', 'tenants.id', 'api_keys.tenant_id')
    .selectAll('api_keys')
    .select('tenants.slug as tenant_slug');

/** The key with this SHA-256 in hex, in any state. */
export async function findByDigest(
  db: Kysely<Tables>,
  digest: string,
): Promise<ApiKeyRecord | undefined> {
  const row = await selectKeys(db).where('hash', '=', digest).executeTakeFirst();
  // Otherwise the collation of the database would decide which texts are equal.
  return row && timingSafeEqual(Buffer.from(row.hash), Buffer.from(digest))
    ? toRecord(row)
    : undefined;
}

/** What a text opens. */
export interface FoundKey {
  readonly record: ApiKeyRecord;
  /** When the text ends: an access token ends before its grant. Null = never. */
  readonly endsAtMs: number | null;
}

/** The grant of an access token with this SHA-256 in hex, in any state, and when the token ends. */
export async function findByToken(
  db: Kysely<Tables>,
  digest: string,
): Promise<FoundKey | undefined> {
  const row = await selectKeys(db)
    .innerJoin('oauth_tokens', 'oauth_tokens.api_key_id', 'api_keys.id')
    .select(['oauth_tokens.digest', 'oauth_tokens.expires_at_ms as ends_at_ms'])
    .where('oauth_tokens.digest', '=', digest)
    .executeTakeFirst();
  return row && timingSafeEqual(Buffer.from(row.digest), Buffer.from(digest))
    ? { record: toRecord(row), endsAtMs: row.ends_at_ms }
    : undefined;
}

/** The key with this id, in any state. */
export async function findById(db: Kysely<Tables>, id: string): Promise<ApiKeyRecord | undefined> {
  const row = await selectKeys(db).where('api_keys.id', '=', id).executeTakeFirst();
  return row && toRecord(row);
}

const toolsOf = (column: string | null): readonly string[] | null =>
  column === null ? null : JSON.parse(column);

/** What is stored of a key. Its text is not. */
export type ApiKeyRecord = Readonly<ReturnType<typeof toRecord>>;

const toRecord = (row: Selectable<ApiKeysTable> & { tenant_slug: string }) => ({
  id: row.id,
  tenantId: row.tenant_id,
  tenantSlug: row.tenant_slug,
  name: row.name,
  description: row.description,
  /** Who created it: a person's id, `cli` or `start`; null if that was not recorded. */
  owner: row.owner,
  prefix: row.prefix,
  /** Null = all tools of the tenant. */
  allowedTools: toolsOf(row.allowed_tools),
  /** Null = all tools are listed. */
  mode: row.mode,
  /** What it may manage; null = nothing. Never changes. */
  scope: row.scope,
  rateLimitPerMinute: row.rate_limit_per_minute,
  dailyLimit: row.daily_limit,
  /** The limit per minute that an operator gave it last; null if none did, or the gateway's setting. */
  operatorRateLimit: row.operator_rate_limit,
  createdAtMs: row.created_at_ms,
  /** Null = never. */
  expiresAtMs: row.expires_at_ms,
  revokedAtMs: row.revoked_at_ms,
  /** The key that this one replaces, and the key that replaces this one. */
  rotatedFrom: row.rotated_from,
  rotatedTo: row.rotated_to,
  /** Increases with every change. */
  revision: row.revision,
  /** `oauth`: a grant of a person to a host; `external`: a subject of another authorization server; null = an API key. */
  kind: row.kind,
  /** Of a grant: how the host is recognised, and what it calls itself. */
  clientId: row.client_id,
  clientName: row.client_name,
});

/** The names of these API keys, at most 500, by id. Rejects with `unavailable`. */
export async function keyNamesOf(
  db: Kysely<Tables>,
  apiKeyIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (apiKeyIds.length === 0) return new Map();
  const rows = await runQuery(() =>
    db.selectFrom('api_keys').select(['id', 'name']).where('id', 'in', apiKeyIds).execute(),
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The slugs of the tenants of these API keys, at most 500, by id of the key. Rejects with `unavailable`. */
export async function keyTenantsOf(
  db: Kysely<Tables>,
  apiKeyIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (apiKeyIds.length === 0) return new Map();
  const rows = await runQuery(() =>
    db
      .selectFrom('api_keys')
      .innerJoin('tenants', 'tenants.id', 'api_keys.tenant_id')
      .select(['api_keys.id', 'tenants.slug'])
      .where('api_keys.id', 'in', apiKeyIds)
      .execute(),
  );
  return new Map(rows.map(({ id, slug }) => [id, slug]));
}

/** What a person lets hosts do and has not revoked, newest first. */
export async function listGrants(
  db: Kysely<Tables>,
  personId: string,
  limit: number,
): Promise<readonly ApiKeyRecord[]> {
  const rows = await selectKeys(db)
    .where('owner', '=', personId)
    .where('kind', 'is not', null)
    .where('revoked_at_ms', 'is', null)
    .orderBy('api_keys.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(toRecord);
}

/** Keys on one page. */
export const MAX_KEY_PAGE = 500;

export interface KeyQuery {
  readonly tenantId?: string | undefined;
  readonly state?: KeyState | undefined;
  /** Part of the name or of the description, or the beginning of the key. */
  readonly text?: string | undefined;
  /** The id of the last key of the page before. */
  readonly after?: string | undefined;
  /** Only keys that end before this time. */
  readonly endsBeforeMs?: number | undefined;
  readonly limit: number;
}

/** Keys, newest first; at most `limit` of them, and never more than 500. */
export async function listKeys(
  db: Kysely<Tables>,
  { tenantId, state, text, after, endsBeforeMs, limit }: KeyQuery,
  nowMs: number,
): Promise<readonly ApiKeyRecord[]> {
  let keys = selectKeys(db).orderBy('api_keys.id', 'desc').limit(Math.min(limit, MAX_KEY_PAGE));
  if (tenantId !== undefined) keys = keys.where('api_keys.tenant_id', '=', tenantId);
  if (after !== undefined) keys = keys.where('api_keys.id', '<', after);
  if (state !== undefined) keys = inState(keys, state, nowMs);
  if (text !== undefined) keys = containing(keys, text);
  if (endsBeforeMs !== undefined) keys = keys.where('expires_at_ms', '<', endsBeforeMs);
  return (await keys.execute()).map(toRecord);
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
  return keys.where((eb) =>
    eb.or([
      containsText(['api_keys.name', 'api_keys.description'], text),
      startsWithText('api_keys.prefix', text),
    ]),
  );
}

/** A key that was created or changed, as far as running gateways must know. */
export interface ChangedKey {
  readonly id: string;
  readonly digest: string;
  /** It has tokens in place of a text. */
  readonly isGrant: boolean;
  /** The last thing that happened to it. */
  readonly change: 'created' | 'changed' | 'revoked';
  /** Null = all tools of the tenant. */
  readonly allowedTools: readonly string[] | null;
  /** Null = never. */
  readonly expiresAtMs: number | null;
}

/** The keys that changed after this version. */
export async function changedSince(
  db: Kysely<Tables>,
  version: number,
): Promise<readonly ChangedKey[]> {
  const rows = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('changed_version', '>', version)
    .execute();
  return rows.map((row) => {
    const change = row.changed_version === row.created_version ? 'created' : 'changed';
    return {
      id: row.id,
      digest: row.hash,
      isGrant: row.kind !== null,
      change: row.revoked_at_ms === null ? change : 'revoked',
      allowedTools: toolsOf(row.allowed_tools),
      expiresAtMs: row.expires_at_ms,
    };
  });
}
