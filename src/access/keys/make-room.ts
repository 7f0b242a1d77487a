import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';

/** Keys of one tenant that are stored, in any state. */
export const MAX_KEYS = 10_000;

/** A key that ended is kept at least this long, so that every replica has noticed its end. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * At the bound, deletes the key that ended first. Rejects with `unprocessable` if none has ended. A key that the
 * operator chose is kept: the next start would create it again, and its revocation would be lost.
 */
export async function makeRoom(db: Kysely<Tables>, tenantId: string, nowMs: number): Promise<void> {
  const { stored } = await db
    .selectFrom('api_keys')
    .select((eb) => eb.fn.countAll().as('stored'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow();
  if (Number(stored) < MAX_KEYS) return;
  const endedMs = nowMs - KEPT_MS;
  const ended = await db
    .selectFrom('api_keys')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('owner', '<>', 'start')
    .where((eb) => eb.or([eb('revoked_at_ms', '<', endedMs), eb('expires_at_ms', '<', endedMs)]))
    .orderBy((eb) => eb.fn.coalesce('revoked_at_ms', 'expires_at_ms'))
    .limit(1)
    .executeTakeFirst();
  if (!ended) throw tooManyKeys();
  await db.deleteFrom('api_key_days').where('api_key_id', '=', ended.id).execute();
  await db.deleteFrom('api_keys').where('id', '=', ended.id).execute();
}

const tooManyKeys = (): GatewayError =>
  new GatewayError(
    'unprocessable',
    `A tenant may have ${MAX_KEYS.toLocaleString('en')} API keys. Revoke keys that are not used; a day later, new ones take their place.`,
  );
