import type { Kysely } from 'kysely';
import { runQuery } from '../database/database-error.ts';
import type { Tables } from '../database/tables.ts';
import type { Clock } from '../kernel/clock.ts';
import { commandLine } from '../kernel/command-line.ts';
import { Secret } from '../kernel/secret.ts';
import { StartupError } from '../kernel/startup-error.ts';
import type { SecretOwner } from './cipher.ts';
import type { Vault } from './vault.ts';

/** Secrets of tenants, encrypted in the database. Every method rejects with `unavailable` while that is away. */
export interface SecretStore {
  /** Stores a secret in place of an older one. */
  put(owner: SecretOwner, secret: Secret): Promise<void>;
  /** Rejects with `missing_secret` if it cannot be decrypted. */
  get(owner: SecretOwner): Promise<Secret | undefined>;
  /** Names of the fields that a subject has secrets for, sorted. */
  fields(tenantId: string, subjectId: string): Promise<readonly string[]>;
  /** Deletes all secrets of a subject. */
  delete(tenantId: string, subjectId: string): Promise<void>;
  /** Encrypts with the current key what other keys encrypted, and returns how many secrets that were. */
  rotate(): Promise<number>;
}

/** Rows of one step of a rotation. */
const ROTATION_PAGE = 100;

export function createSecretStore(deps: {
  readonly db: Kysely<Tables>;
  readonly vault: Vault;
  readonly clock: Clock;
}): SecretStore {
  const { db, vault, clock } = deps;
  return {
    put: async (owner, secret) => {
      const values = {
        tenant_id: owner.tenantId,
        subject_id: owner.subjectId,
        field: owner.field,
        encrypted: vault.encrypt(secret, owner),
        key_id: vault.keyId ?? '',
        updated_at_ms: clock.now(),
      };
      const { encrypted, key_id, updated_at_ms } = values;
      await runQuery(() =>
        db
          .insertInto('secrets')
          .values(values)
          .onConflict((conflict) =>
            conflict
              .columns(['tenant_id', 'subject_id', 'field'])
              .doUpdateSet({ encrypted, key_id, updated_at_ms }),
          )
          .execute(),
      );
    },
    get: async (owner) => {
      const row = await runQuery(() =>
        db
          .selectFrom('secrets')
          .select('encrypted')
          .where('tenant_id', '=', owner.tenantId)
          .where('subject_id', '=', owner.subjectId)
          .where('field', '=', owner.field)
          .executeTakeFirst(),
      );
      return row && vault.decrypt(row.encrypted, owner);
    },
    fields: async (tenantId, subjectId) => {
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
    delete: async (tenantId, subjectId) => {
      await runQuery(() =>
        db
          .deleteFrom('secrets')
          .where('tenant_id', '=', tenantId)
          .where('subject_id', '=', subjectId)
          .execute(),
      );
    },
    rotate: () => rotate(db, vault),
  };
}

/** Each row is replaced only if it is still the one that was read: a running gateway may store another secret meanwhile. */
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
          .where('tenant_id', '=', owner.tenantId)
          .where('subject_id', '=', owner.subjectId)
          .where('field', '=', owner.field)
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
