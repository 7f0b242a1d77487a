import { timingSafeEqual } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { ApiKeysTable, Tables, TenantsTable } from '../../platform/database/tables.ts';
import type { KeyLimits } from './caller.ts';
import type { KeyMode } from './key-columns.ts';

/** What is stored of a key. Its text is not. */
export interface ApiKeyRecord extends KeyLimits {
  readonly id: string;
  readonly tenantId: string;
  readonly tenantSlug: string;
  readonly name: string;
  readonly description: string | null;
  /** Who created it: a person's id, `cli` or `start`; null if that was not recorded. */
  readonly owner: string | null;
  readonly prefix: string;
  /** Null = all tools of the tenant. */
  readonly allowedTools: readonly string[] | null;
  /** Null = all tools are listed. */
  readonly mode: KeyMode | null;
  /** The limit per minute that an operator gave it last; null if none did, or the gateway's setting. */
  readonly operatorRateLimit: number | null;
  readonly createdAtMs: number;
  /** Null = never. */
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** The key that this one replaces. */
  readonly rotatedFrom: string | null;
  /** The key that replaces this one. */
  readonly rotatedTo: string | null;
  /** Increases with every change. */
  readonly revision: number;
}

/** Whether a key can be used, and if not, why. */
export type KeyState = 'active' | 'expired' | 'revoked';

export function keyStateOf(
  { revokedAtMs, expiresAtMs }: Pick<ApiKeyRecord, 'revokedAtMs' | 'expiresAtMs'>,
  nowMs: number,
): KeyState {
  if (revokedAtMs !== null) return 'revoked';
  return expiresAtMs !== null && expiresAtMs <= nowMs ? 'expired' : 'active';
}

export const selectKeys = (db: Kysely<Tables>) =>
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

export const toolsOf = (column: string | null): readonly string[] | null =>
  column === null ? null : JSON.parse(column);

export function toRecord(
  row: Selectable<ApiKeysTable> & { tenant_slug: TenantsTable['slug'] },
): ApiKeyRecord {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    tenantSlug: row.tenant_slug,
    name: row.name,
    description: row.description,
    owner: row.owner,
    prefix: row.prefix,
    allowedTools: toolsOf(row.allowed_tools),
    mode: row.mode,
    rateLimitPerMinute: row.rate_limit_per_minute,
    dailyLimit: row.daily_limit,
    operatorRateLimit: row.operator_rate_limit,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    revokedAtMs: row.revoked_at_ms,
    rotatedFrom: row.rotated_from,
    rotatedTo: row.rotated_to,
    revision: row.revision,
  };
}
