import { createHmac, randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { originIssue } from '../../platform/input/schema.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { memoizeEach } from '../../platform/kernel/memo.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import type { SecretOwner } from '../../platform/vault/cipher.ts';
import { createSecretStore } from '../../platform/vault/secret-store.ts';
import type { Vault } from '../../platform/vault/vault.ts';
import { changeTopic, readVersion } from '../trail/change-version.ts';

/** Longest value, in characters. */
export const MAX_VALUE_LENGTH = 4096;

/** The owner of the operator's keys. No tenant has this id. */
export const OPERATOR = '';

/** A provider key: the tenant that owns it, or `OPERATOR`, and the name that presets give in `x-secret`. */
export interface ProviderKeyId {
  readonly tenantId: string;
  readonly name: string;
}

/** Who may use the operator's key: every tenant, or none, because each brings its own. */
export type KeyPolicy = 'shared' | 'own';

export interface ProviderKeyStoreDeps {
  readonly db: Kysely<Tables>;
  readonly vault: Vault;
  readonly clock: Clock;
}

export type ProviderKeyStore = ReturnType<typeof createProviderKeyStore>;

/** Provider keys of the operator and of tenants. Every method rejects with `unavailable` while the database is away. */
export function createProviderKeyStore({ db, vault, clock }: ProviderKeyStoreDeps) {
  /** Null: removes the value. Resolves with whether one was stored. */
  const change = (key: ProviderKeyId, value: Secret | null, actor: string): Promise<boolean> =>
    changeTopic({ db, clock }, 'provider_keys', async (changed) => {
      const { tenantId, name } = key;
      const secrets = createSecretStore({ db: changed.db, vault, clock });
      const wasStored = await secrets.delete(tenantId, SUBJECT, name);
      if (value) await secrets.put(ownerOf(key), value);
      else if (!wasStored) throw notStored(key);
      const written = {
        ...{ changed_at_ms: changed.nowMs, changed_by: actor },
        ...(value === null && { origins: '[]' }),
      };
      await changed.db
        .insertInto('provider_keys')
        .values({ tenant_id: tenantId, name, ...written })
        .onConflict((conflict) => conflict.columns(['tenant_id', 'name']).doUpdateSet(written))
        .execute();
      const isOperators = tenantId === OPERATOR;
      // What was received with a tenant's key goes with it, even while no gateway runs.
      if (!isOperators)
        await changed.db.deleteFrom('last_good').where('tenant_id', '=', tenantId).execute();
      const action =
        `${isOperators ? 'provider_key' : 'own_key'}.${value ? 'set' : 'removed'}` as const;
      await changed.append(actor, action, name, { tenantId: isOperators ? null : tenantId });
      return wasStored;
    });

  return {
    /** Whether the gateway has a key to encrypt with. */
    get canStore() {
      return vault.keyId !== null;
    },
    /** Increases with every change, whichever process makes it. */
    version: () => runQuery(() => readVersion(db, 'provider_keys')),
    /** The keys that an owner has ever stored, by name. */
    list: (tenantId: string) => runQuery(() => listKeys(db, tenantId)),
    /** Everything that calls depend on. */
    read: () =>
      runQuery(async () => {
        const [keys, withheld, quotas] = await Promise.all([
          listKeys(db),
          db.selectFrom('withheld_provider_keys').select('name').orderBy('name').execute(),
          db.selectFrom('provider_key_quotas').selectAll().execute(),
        ]);
        return { keys, withheld: withheld.map(({ name }) => name), quotas };
      }),
    /** Throws GatewayError `missing_secret` if the value cannot be decrypted. */
    decrypt: (key: ProviderKeyId, encrypted: string) => vault.decrypt(encrypted, ownerOf(key)),
    /**
     * Stores a value in place of an earlier one; resolves with whether there was none. Rejects with `invalid_arguments` for a
     * value that cannot be sent, and with `unavailable` without ENCRYPTION_KEY.
     */
    set: async (key: ProviderKeyId, value: Secret, actor: string): Promise<boolean> => {
      checkValue(value);
      return !(await change(key, value, actor));
    },
    /** Removes the stored value, and where it may be sent. Rejects with `not_found` if none is stored. */
    remove: async (key: ProviderKeyId, actor: string): Promise<void> => {
      await change(key, null, actor);
    },
    ...createKeyTerms({ db, vault, clock }),
  };
}

/** Where a tenant lets its key be sent, and what operators say of theirs. */
const createKeyTerms = ({ db, vault, clock }: ProviderKeyStoreDeps) => ({
  /**
   * Says where APIs of the tenant may send its key, besides the hosts that take it anyway. Rejects with `not_found` if the
   * tenant has stored none, and with `invalid_arguments` for what is not an origin.
   */
  setOrigins: async (key: ProviderKeyId, origins: readonly string[], actor: string) => {
    for (const origin of origins) assertOrigin(origin);
    const { tenantId, name } = key;
    return changeTopic({ db, clock }, 'provider_keys', async (change) => {
      const secrets = createSecretStore({ db: change.db, vault, clock });
      if (!(await secrets.fields(tenantId, SUBJECT)).includes(name)) throw notStored(key);
      await change.db
        .updateTable('provider_keys')
        .set({ origins: JSON.stringify(origins) })
        .where('tenant_id', '=', tenantId)
        .where('name', '=', name)
        .execute();
      await change.append(actor, 'own_key.origins', name, { tenantId, details: { origins } });
    });
  },
  /** How many requests a day the provider allows the operator's account; null: as many as the preset says. */
  setQuota: (name: string, dataset: string, calls: number | null, actor: string) =>
    changeTopic({ db, clock }, 'provider_keys', async (change) => {
      await change.db
        .deleteFrom('provider_key_quotas')
        .where('name', '=', name)
        .where('dataset', '=', dataset)
        .execute();
      if (calls !== null)
        await change.db
          .insertInto('provider_key_quotas')
          .values({ name, dataset, calls })
          .execute();
      await change.append(actor, 'provider_key.quota', name, { details: { dataset, calls } });
    }),
  setPolicy: (name: string, policy: KeyPolicy, actor: string): Promise<void> =>
    changeTopic({ db, clock }, 'provider_keys', async (change) => {
      await change.db.deleteFrom('withheld_provider_keys').where('name', '=', name).execute();
      if (policy === 'own')
        await change.db.insertInto('withheld_provider_keys').values({ name }).execute();
      await change.append(actor, 'provider_key.policy', name, { details: { policy } });
    }),
});

/** Which secrets are provider keys. */
const SUBJECT = 'provider-keys';

const ownerOf = ({ tenantId, name }: ProviderKeyId): SecretOwner => ({
  tenantId,
  subjectId: SUBJECT,
  field: name,
});

const notStored = ({ tenantId, name }: ProviderKeyId): GatewayError =>
  new GatewayError(
    'not_found',
    tenantId === OPERATOR
      ? `No value is stored for the provider key ${name}.`
      : `Your tenant has stored no key of its own as ${name}.`,
  );

function assertOrigin(origin: string): void {
  const issue = originIssue(origin);
  if (issue) throw new GatewayError('invalid_arguments', `${JSON.stringify(origin)} ${issue}`);
}

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

/** What is stored of a key. `changedBy` is `cli`, or the id of an API key or of a person, who may have been deleted since. */
export type StoredProviderKey = Readonly<Awaited<ReturnType<typeof listKeys>>[number]>;

/** All keys that were ever stored, or the keys of one owner, by name. */
export const listKeys = (db: Kysely<Tables>, tenantId?: string) =>
  db
    .selectFrom('provider_keys as keys')
    .leftJoin('secrets', (join) =>
      join
        .onRef('secrets.tenant_id', '=', 'keys.tenant_id')
        .onRef('secrets.field', '=', 'keys.name')
        .on('secrets.subject_id', '=', SUBJECT),
    )
    .leftJoin('people_users', 'people_users.id', 'keys.changed_by')
    .select([
      'keys.tenant_id as tenantId',
      'keys.name',
      'keys.changed_at_ms as changedAtMs',
      'keys.changed_by as changedBy',
      'people_users.email as changedByEmail',
      'keys.origins',
      'secrets.encrypted', // null once it has been removed
    ])
    .$if(tenantId !== undefined, (keys) => keys.where('keys.tenant_id', '=', tenantId ?? OPERATOR))
    .orderBy('keys.tenant_id')
    .orderBy('keys.name')
    .execute();

/** What identifies the value of a key, in the form in which it is sent. */
export type Fingerprint = (key: Secret) => string;

const SALT_BYTES = 32;
const SALT_ID = 1;
/** 128 bits: no two keys share one. */
const LENGTH = 32;

/**
 * Opens the fingerprints of provider keys: two copies of one key have the same one, in every process and after a change of
 * ENCRYPTION_KEY. Creates their salt in the database. Rejects with `unavailable` while that is away.
 */
export async function openFingerprints(db: Kysely<Tables>): Promise<Fingerprint> {
  const salt = (await readSalt(db)) ?? (await createSalt(db));
  return memoizeEach((key: Secret): string =>
    createHmac('sha256', salt).update(key.reveal()).digest('hex').slice(0, LENGTH),
  );
}

const readSalt = async (db: Kysely<Tables>): Promise<string | undefined> =>
  (await runQuery(() => db.selectFrom('provider_key_salt').select('salt').executeTakeFirst()))
    ?.salt;

/** Another process may create one at the same time: the first counts. */
async function createSalt(db: Kysely<Tables>): Promise<string> {
  const salt = randomBytes(SALT_BYTES).toString('base64url');
  await runQuery(() =>
    db
      .insertInto('provider_key_salt')
      .values({ id: SALT_ID, salt })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
  return (await readSalt(db)) ?? salt;
}
