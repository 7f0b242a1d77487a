import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import type { SecretOwner } from '../../platform/vault/cipher.ts';
import type { Vault } from '../../platform/vault/vault.ts';

export interface SessionSecretDeps {
  readonly db: Kysely<Tables>;
  readonly vault: Vault;
  readonly clock: Clock;
}

const OWNER: SecretOwner = { tenantId: '', subjectId: 'people', field: 'session' };

/**
 * The secret that signs session cookies, the same for every process of this database. It is created once, and encrypted if
 * the vault has a key, so that a reader of the database cannot forge a cookie. Rejects with `missing_secret` if it
 * cannot be decrypted, and with `unavailable` while the database is away.
 */
export function openSessionSecret({ db, vault, clock }: SessionSecretDeps): Promise<Secret> {
  const fresh = randomBytes(32).toString('base64url');
  return runQuery(() =>
    vault.keyId === null
      ? ensurePlain(db, fresh)
      : ensureEncrypted({ db, vault, clock }, new Secret(fresh)),
  );
}

/** Without an encryption key, the database holds the secret as it holds the sessions themselves. */
async function ensurePlain(db: Kysely<Tables>, secret: string): Promise<Secret> {
  await db
    .insertInto('session_secrets')
    .values({ id: 1, secret })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  const row = await db.selectFrom('session_secrets').select('secret').executeTakeFirstOrThrow();
  return new Secret(row.secret);
}

async function ensureEncrypted(
  { db, vault, clock }: SessionSecretDeps,
  secret: Secret,
): Promise<Secret> {
  await db
    .insertInto('secrets')
    .values({
      tenant_id: OWNER.tenantId,
      subject_id: OWNER.subjectId,
      field: OWNER.field,
      encrypted: vault.encrypt(secret, OWNER),
      key_id: vault.keyId ?? '',
      updated_at_ms: clock.now(),
    })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'subject_id', 'field']).doNothing())
    .execute();
  const row = await db
    .selectFrom('secrets')
    .select('encrypted')
    .where('tenant_id', '=', OWNER.tenantId)
    .where('subject_id', '=', OWNER.subjectId)
    .where('field', '=', OWNER.field)
    .executeTakeFirstOrThrow();
  return vault.decrypt(row.encrypted, OWNER);
}
