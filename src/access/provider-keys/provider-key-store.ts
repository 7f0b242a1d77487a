import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import type { SecretOwner } from '../../platform/vault/cipher.ts';
import { createSecretStore } from '../../platform/vault/secret-store.ts';
import type { Vault } from '../../platform/vault/vault.ts';
import { appendAdminEntry } from '../trail/admin-trail.ts';

/** What is stored of a provider key. */
export interface StoredProviderKey {
  readonly name: string;
  readonly changedAtMs: number;
  /** `cli`, or the id of a person. */
  readonly changedBy: string;
  /** E-mail address of that person; null for `cli`, and for a person who was deleted. */
  readonly changedByEmail: string | null;
  /** Null once it has been removed. */
  readonly encrypted: string | null;
}

/** Every method rejects with GatewayError `unavailable` while the database is away. */
export interface ProviderKeyStore {
  /** Whether the gateway has a key to encrypt with. */
  readonly canStore: boolean;
  /** Increases with every change, whichever process makes it. */
  version(): Promise<number>;
  /** All keys that were ever stored, by name. */
  list(): Promise<readonly StoredProviderKey[]>;
  /** Throws GatewayError `missing_secret` if the value cannot be decrypted. */
  decrypt(name: string, encrypted: string): Secret;
  /**
   * Stores a value in place of an earlier one. Rejects with `invalid_arguments` for a value that cannot be sent, and with
   * `unavailable` without ENCRYPTION_KEY.
   */
  set(name: string, value: Secret, actor: string): Promise<void>;
  /** Removes the stored value. Rejects with `not_found` if none is stored. */
  remove(name: string, actor: string): Promise<void>;
}

/** Longest value, in characters. */
export const MAX_VALUE_LENGTH = 4096;

export interface ProviderKeyStoreDeps {
  readonly db: Kysely<Tables>;
  readonly vault: Vault;
  readonly clock: Clock;
}

export function createProviderKeyStore({ db, vault, clock }: ProviderKeyStoreDeps) {
  const store: ProviderKeyStore = {
    get canStore() {
      return vault.keyId !== null;
    },
    version: () => runQuery(() => readVersion(db)),
    list: () => runQuery(() => listKeys(db)),
    decrypt: (name, encrypted) => vault.decrypt(encrypted, ownerOf(name)),
    set: async (name, value, actor) => {
      checkValue(value);
      await runQuery(() =>
        db.transaction().execute(async (transaction) => {
          await raiseVersion(transaction);
          await createSecretStore({ db: transaction, vault, clock }).put(ownerOf(name), value);
          await recordChange(transaction, { name, atMs: clock.now(), actor, action: 'set' });
        }),
      );
    },
    remove: (name, actor) =>
      runQuery(() =>
        db.transaction().execute(async (transaction) => {
          await raiseVersion(transaction);
          if (!(await deleteValue(transaction, name))) throw notStored(name);
          await recordChange(transaction, { name, atMs: clock.now(), actor, action: 'removed' });
        }),
      ),
  };
  return store;
}

/** No tenant has this id, so that the rows of provider keys cannot be mistaken for those of a tenant. */
const ownerOf = (name: string): SecretOwner => ({
  tenantId: '',
  subjectId: 'provider-keys',
  field: name,
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Throws `invalid_arguments` for a value that no request can contain. The message does not quote it. */
export function checkValue(value: Secret): void {
  const text = value.reveal();
  if (text.trim() !== '' && text.length <= MAX_VALUE_LENGTH && !CONTROL.test(text)) return;
  throw new GatewayError(
    'invalid_arguments',
    `A provider key has 1 to ${MAX_VALUE_LENGTH} characters, not all of them blank, and no line break or other control character. Copy it again from the provider's page.`,
  );
}

interface Change {
  readonly name: string;
  readonly atMs: number;
  readonly actor: string;
  readonly action: 'set' | 'removed';
}

async function recordChange(
  db: Kysely<Tables>,
  { name, atMs, actor, action }: Change,
): Promise<void> {
  const values = { changed_at_ms: atMs, changed_by: actor };
  await db
    .insertInto('provider_keys')
    .values({ name, ...values })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
    .execute();
  await appendAdminEntry(db, {
    timestampMs: atMs,
    tenantId: null,
    actor,
    action: `provider_key.${action}`,
    subjectId: name,
    details: {},
  });
}

async function deleteValue(db: Kysely<Tables>, name: string): Promise<boolean> {
  const { tenantId, subjectId, field } = ownerOf(name);
  const { numDeletedRows } = await db
    .deleteFrom('secrets')
    .where('tenant_id', '=', tenantId)
    .where('subject_id', '=', subjectId)
    .where('field', '=', field)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

const notStored = (name: string): GatewayError =>
  new GatewayError('not_found', `No value is stored for the provider key ${name}.`);

async function listKeys(db: Kysely<Tables>): Promise<StoredProviderKey[]> {
  const { tenantId, subjectId } = ownerOf('');
  const rows = await db
    .selectFrom('provider_keys')
    .leftJoin('secrets', (join) =>
      join
        .onRef('secrets.field', '=', 'provider_keys.name')
        .on('secrets.tenant_id', '=', tenantId)
        .on('secrets.subject_id', '=', subjectId),
    )
    .leftJoin('people_users', 'people_users.id', 'provider_keys.changed_by')
    .select([
      'provider_keys.name',
      'provider_keys.changed_at_ms',
      'provider_keys.changed_by',
      'people_users.email',
      'secrets.encrypted',
    ])
    .orderBy('provider_keys.name')
    .execute();
  return rows.map((row) => ({
    name: row.name,
    changedAtMs: row.changed_at_ms,
    changedBy: row.changed_by,
    changedByEmail: row.email,
    encrypted: row.encrypted,
  }));
}

async function readVersion(db: Kysely<Tables>): Promise<number> {
  const { version } = await db
    .selectFrom('changes')
    .select('version')
    .where('topic', '=', 'provider_keys')
    .executeTakeFirstOrThrow();
  return version;
}

/** First in every transaction: its row lock puts the changes in order. */
async function raiseVersion(transaction: Kysely<Tables>): Promise<void> {
  await transaction
    .updateTable('changes')
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('topic', '=', 'provider_keys')
    .execute();
}
