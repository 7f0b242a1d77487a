import type { Kysely } from 'kysely';
import type { ApiKeysTable, Tables } from '../../platform/database/tables.ts';
import { toolsOf } from './api-key-record.ts';

/** A key that was created or changed, as far as running gateways must know. */
export interface ChangedKey {
  readonly id: string;
  readonly digest: string;
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
    .select([
      'id',
      'hash',
      'revoked_at_ms',
      'expires_at_ms',
      'allowed_tools',
      'changed_version',
      'created_version',
    ])
    .where('changed_version', '>', version)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    digest: row.hash,
    change: lastChangeOf(row),
    allowedTools: toolsOf(row.allowed_tools),
    expiresAtMs: row.expires_at_ms,
  }));
}

function lastChangeOf(
  row: Pick<ApiKeysTable, 'revoked_at_ms' | 'changed_version' | 'created_version'>,
): ChangedKey['change'] {
  if (row.revoked_at_ms !== null) return 'revoked';
  return row.changed_version === row.created_version ? 'created' : 'changed';
}
