import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { runQuery } from '../database/database-error.ts';
import type { Tables } from '../database/tables.ts';
import { StartupError } from '../kernel/error.ts';
import { commandLine } from '../kernel/log-lines.ts';
import { Secret } from '../kernel/secret.ts';
import type { Clock } from '../kernel/time.ts';
import type { SecretOwner } from './cipher.ts';
import type { Vault } from './vault.ts';

/** Rows of one step of a rotation. */
const ROTATION_PAGE = 100;

export type SecretStore = ReturnType<typeof createSecretStore>;

/** Secrets of tenants, encrypted in the database. Every method rejects with `unavailable` while that is away. */
export function createSecretStore({ db, vault, clock }: SecretStoreDeps) {
  const valuesOf = (owner: SecretOwner, secret: Secret) => ({
    encrypted: vault.encrypt(secret, owner),
    key_id: vault.keyId ?? '',
    updated_at_ms: clock.now(),
  });
  const get = async (owner: SecretOwner): Promise<Secret | undefined> => {
    const row = await runQuery(() =>
      db
        .selectFrom('secrets')
        .select('encrypted')
        .where((secrets) => secrets.and(primaryKey(owner)))
        .executeTakeFirst(),
    );
    return row && vault.decrypt(row.encrypted, owner);
  };
  return {
    /** Stores a secret in place of an older one. */
    put: async (owner: SecretOwner, secret: Secret): Promise<void> => {
      const values = valuesOf(owner, secret);
      await runQuery(() =>
        db
          .insertInto('secrets')
          .values({ ...primaryKey(owner), ...values })
          .onConflict((conflict) => conflict.columns(OWNER).doUpdateSet(values))
          .execute(),
      );
    },
    /** Rejects with `missing_secret` if it cannot be decrypted. */
    get,
    /** The secret that all processes of this database share. The first of them stores a random one. */
    ensure: async (owner: SecretOwner): Promise<Secret> => {
      const found = await get(owner);
      if (found) return found;
      const values = valuesOf(owner, newSharedSecret());
      await runQuery(() =>
        db
          .insertInto('secrets')
          .values({ ...primaryKey(owner), ...values })
          .onConflict((conflict) => conflict.columns(OWNER).doNothing())
          .execute(),
      );
      return (await get(owner)) ?? Promise.reject(new Error('A shared secret was deleted.'));
    },
    /** Names of the fields that a subject has secrets for, sorted. */
    fields: async (tenantId: string, subjectId: string): Promise<readonly string[]> => {
      const rows = await runQuery(() =>
        db
          .selectFrom('secrets')
          .select('field')
          .where('tenant_id', '=', tenantId)
          .where('subject_id', '=', subjectId)
          .orderBy('field')
          .execute(),
      );
      return rows.map(({ field }) => field);
    },
    /** Deletes the secrets of a subject, or one of them; resolves with whether there were any. */
    delete: async (tenantId: string, subjectId: string, field?: string): Promise<boolean> => {
      const whose = { tenant_id: tenantId, subject_id: subjectId, ...(field && { field }) };
      const { numDeletedRows } = await runQuery(() =>
        db
          .deleteFrom('secrets')
          .where((secrets) => secrets.and(whose))
          .executeTakeFirst(),
      );
      return numDeletedRows > 0n;
    },
    /** Encrypts with the current key what other keys encrypted, and returns how many secrets that were. */
    rotate: (): Promise<number> => rotate(db, vault),
  };
}

/** 256 random bits. */
export const newSharedSecret = (): Secret => new Secret(randomBytes(32).toString('base64url'));

interface SecretStoreDeps {
  readonly db: Kysely<Tables>;
  readonly vault: Vault;
  readonly clock: Clock;
}

const OWNER = ['tenant_id', 'subject_id', 'field'] as const;

const primaryKey = ({ tenantId, subjectId, field }: SecretOwner) => ({
  tenant_id: tenantId,
  subject_id: subjectId,
  field,
});

/** Each row is replaced only if it is unchanged since it was read: a running gateway may store another secret meanwhile. */
async function rotate(db: Kysely<Tables>, vault: Vault): Promise<number> {
  const keyId = vault.keyId ?? '';
  let rotated = 0;
  for (;;) {
    const rows = await runQuery(() =>
      db
        .selectFrom('secrets')
        .selectAll()
        .where('key_id', '!=', keyId)
        .orderBy('tenant_id')
        .limit(ROTATION_PAGE)
        .execute(),
    );
    if (rows.length === 0) return rotated;
    for (const row of rows) {
      const owner = { tenantId: row.tenant_id, subjectId: row.subject_id, field: row.field };
      const encrypted = vault.encrypt(vault.decrypt(row.encrypted, owner), owner);
      const { numUpdatedRows } = await runQuery(() =>
        db
          .updateTable('secrets')
          .set({ encrypted, key_id: keyId })
          .where((secrets) => secrets.and(primaryKey(owner)))
          .where('encrypted', '=', row.encrypted)
          .executeTakeFirst(),
      );
      if (owner.field !== CANARY.field || owner.subjectId !== CANARY.subjectId) {
        rotated += Number(numUpdatedRows);
      }
    }
  }
}

/** A value that is encrypted with each key when it is first used, to recognise a wrong key at startup. */
const CANARY = { tenantId: '', subjectId: '', field: 'canary' };

/**
 * Checks that the vault decrypts what this database holds, so that a wrong ENCRYPTION_KEY stops the start and not the
 * calls of a tenant. Throws StartupError.
 */
export async function checkVault(
  store: SecretStore,
  vault: Vault,
  logger: { warn(message: string): void },
): Promise<void> {
  if (vault.keyId === null) {
    logger.warn(
      'ENCRYPTION_KEY is not set: neither provider keys nor credentials of registered APIs can be stored.',
    );
    return;
  }
  try {
    if (!(await store.get(CANARY))) await store.put(CANARY, new Secret('canary'));
  } catch (cause) {
    throw new StartupError(
      `ENCRYPTION_KEY is not the key that encrypted the credentials in this database. Restore that key, or set it as ENCRYPTION_KEY_PREVIOUS and run: ${commandLine('secrets rotate')}`,
      { cause },
    );
  }
}
