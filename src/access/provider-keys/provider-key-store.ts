import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import type { SecretOwner } from '../../platform/vault/cipher.ts';
import { createSecretStore } from '../../platform/vault/secret-store.ts';
import type { Vault } from '../../platform/vault/vault.ts';
import { changeTopic, readVersion } from '../trail/change-version.ts';

/** Longest value, in characters. */
export const MAX_VALUE_LENGTH = 4096;

export interface ProviderKeyStoreDeps {
  readonly db: Kysely<Tables>;
  readonly vault: Vault;
  readonly clock: Clock;
}

export type ProviderKeyStore = ReturnType<typeof createProviderKeyStore>;

/** Every method rejects with GatewayError `unavailable` while the database is away. */
export function createProviderKeyStore({ db, vault, clock }: ProviderKeyStoreDeps) {
  const change = (
    action: 'set' | 'removed',
    { name, actor }: { name: string; actor: string },
    write: (db: Kysely<Tables>) => Promise<void>,
  ): Promise<void> =>
    changeTopic({ db, clock }, 'provider_keys', async (changed) => {
      await write(changed.db);
      const values = { changed_at_ms: changed.nowMs, changed_by: actor };
      await changed.db
        .insertInto('provider_keys')
        .values({ name, ...values })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
        .execute();
      await changed.append(actor, `provider_key.${action}`, name);
    });

  return {
    /** Whether the gateway has a key to encrypt with. */
    get canStore() {
      return vault.keyId !== null;
    },
    /** Increases with every change, whichever process makes it. */
    version: () => runQuery(() => readVersion(db, 'provider_keys')),
    /** All keys that were ever stored, by name. */
    list: () => runQuery(() => listKeys(db)),
    /** Throws GatewayError `missing_secret` if the value cannot be decrypted. */
    decrypt: (name: string, encrypted: string) => vault.decrypt(encrypted, ownerOf(name)),
    /**
     * Stores a value in place of an earlier one. Rejects with `invalid_arguments` for a value that cannot be sent, and with
     * `unavailable` without ENCRYPTION_KEY.
     */
    set: async (name: string, value: Secret, actor: string): Promise<void> => {
      checkValue(value);
      await change('set', { name, actor }, (transaction) =>
        createSecretStore({ db: transaction, vault, clock }).put(ownerOf(name), value),
      );
    },
    /** Removes the stored value. Rejects with `not_found` if none is stored. */
    remove: (name: string, actor: string) =>
      change('removed', { name, actor }, (transaction) => deleteValue(transaction, name)),
  };
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
  const issue = issueOf(value.reveal());
  if (issue === undefined) return;
  throw new GatewayError(
    'invalid_arguments',
    `${issue} A provider key has 1 to ${MAX_VALUE_LENGTH} characters, not all of them blank, and no line break or other control character. Copy it again from the provider's page.`,
    { details: { errors: [{ path: '/value', message: issue }] } },
  );
}

function issueOf(text: string): string | undefined {
  if (text.trim() === '') return 'The value is empty.';
  if (text.length > MAX_VALUE_LENGTH) return `The value is too long: ${text.length} characters.`;
  if (CONTROL.test(text)) return 'The value has a control character, such as a line break.';
  if (ENCODED_TWICE.test(text))
    return 'The value is encoded twice: "%25" precedes the digits of another escape.';
  return undefined;
}

const ENCODED_TWICE = /%25[0-9a-f]{2}/i;

async function deleteValue(db: Kysely<Tables>, name: string): Promise<void> {
  const { tenantId, subjectId, field } = ownerOf(name);
  const { numDeletedRows } = await db
    .deleteFrom('secrets')
    .where('tenant_id', '=', tenantId)
    .where('subject_id', '=', subjectId)
    .where('field', '=', field)
    .executeTakeFirst();
  if (numDeletedRows > 0n) return;
  throw new GatewayError('not_found', `No value is stored for the provider key ${name}.`);
}

/** What is stored of a provider key. `changedBy` is `cli` or the id of a person, who may have been deleted since. */
export type StoredProviderKey = Readonly<Awaited<ReturnType<typeof listKeys>>[number]>;

/** All keys that operators ever stored, by name. */
export function listKeys(db: Kysely<Tables>) {
  const { tenantId, subjectId } = ownerOf('');
  return db
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
      'provider_keys.changed_at_ms as changedAtMs',
      'provider_keys.changed_by as changedBy',
      'people_users.email as changedByEmail',
      'secrets.encrypted', // null once it has been removed
    ])
    .orderBy('provider_keys.name')
    .execute();
}
