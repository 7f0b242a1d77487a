import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { originIssue } from '../../platform/input/schema.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import type { SecretOwner } from '../../platform/vault/cipher.ts';
import { createSecretStore } from '../../platform/vault/secret-store.ts';
import { type Change, changeTopic } from '../trail/change-version.ts';
import { checkValue, type ProviderKeyStoreDeps } from './provider-key-store.ts';

/** Who may use the operator's key: every tenant, or none, because each brings its own. */
export type KeyPolicy = 'shared' | 'own';

/** How many requests a day the provider allows the operator's account for a dataset. */
export interface KeyQuota {
  readonly name: string;
  readonly dataset: string;
  readonly calls: number;
}

/** The key of a tenant, and who changes it. */
export interface OwnKeyChange {
  readonly tenantId: string;
  readonly name: string;
  /** For the trail. */
  readonly actor: string;
}

export type OwnKeyStore = ReturnType<typeof createOwnKeyStore>;

/**
 * The keys that tenants have stored in place of the operator's, and the policies of the operator's. Running gateways follow
 * them like provider keys. Every method rejects with `unavailable` while the database is away.
 */
export const createOwnKeyStore = ({ db, vault, clock }: ProviderKeyStoreDeps) => ({
  /** Of all tenants. */
  list: () => runQuery(() => listKeys(db)),
  /** Throws `missing_secret` if the value cannot be decrypted. */
  decrypt: ({ tenantId, name, encrypted }: StoredOwnKey) =>
    vault.decrypt(encrypted, ownerOf(tenantId, name)),
  /** Stores a value in place of an earlier one; resolves with whether there was none. Rejects as provider keys do. */
  set: async ({ tenantId, name, actor }: OwnKeyChange, value: Secret): Promise<boolean> => {
    checkValue(value);
    return changeTopic({ db, clock }, 'provider_keys', async (change) => {
      const secrets = createSecretStore({ db: change.db, vault, clock });
      const id = { tenant_id: tenantId, name };
      const known = await change.db
        .selectFrom('own_provider_keys')
        .select('name')
        .where((keys) => keys.and(id))
        .executeTakeFirst();
      await secrets.put(ownerOf(tenantId, name), value);
      const values = { changed_at_ms: change.nowMs, changed_by: actor };
      await change.db
        .insertInto('own_provider_keys')
        .values({ ...id, ...values })
        .onConflict((conflict) => conflict.columns(['tenant_id', 'name']).doUpdateSet(values))
        .execute();
      await deleteLastGood(change, tenantId);
      await change.append(actor, 'own_key.set', name, { tenantId });
      return known === undefined;
    });
  },
  /** Rejects with `not_found` if the tenant has none. */
  remove: ({ tenantId, name, actor }: OwnKeyChange): Promise<void> =>
    changeTopic({ db, clock }, 'provider_keys', async (change) => {
      const { numDeletedRows } = await change.db
        .deleteFrom('own_provider_keys')
        .where('tenant_id', '=', tenantId)
        .where('name', '=', name)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw notStored(name);
      const owner = ownerOf(tenantId, name);
      await change.db
        .deleteFrom('secrets')
        .where('tenant_id', '=', tenantId)
        .where('subject_id', '=', owner.subjectId)
        .where('field', '=', name)
        .execute();
      await deleteLastGood(change, tenantId);
      await change.append(actor, 'own_key.removed', name, { tenantId });
    }),
  /**
   * Says where APIs of the tenant may send the key, besides the hosts that take it anyway. A removal forgets it. Rejects with
   * `not_found` if the tenant has stored none, and with `invalid_arguments` for what is not an origin.
   */
  setOrigins: async ({ tenantId, name, actor }: OwnKeyChange, origins: readonly string[]) => {
    for (const origin of origins) assertOrigin(origin);
    return changeTopic({ db, clock }, 'provider_keys', async (change) => {
      const { numUpdatedRows } = await change.db
        .updateTable('own_provider_keys')
        .set({ origins: JSON.stringify(origins) })
        .where('tenant_id', '=', tenantId)
        .where('name', '=', name)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw notStored(name);
      await change.append(actor, 'own_key.origins', name, { tenantId, details: { origins } });
    });
  },
  ...createKeyTerms({ db, clock }),
});

function assertOrigin(origin: string): void {
  const issue = originIssue(origin);
  if (issue) throw new GatewayError('invalid_arguments', `${JSON.stringify(origin)} ${issue}`);
}

const notStored = (name: string): GatewayError =>
  new GatewayError('not_found', `Your tenant has stored no key of its own as ${name}.`);

/** What operators say of their own keys. */
const createKeyTerms = ({ db, clock }: Pick<ProviderKeyStoreDeps, 'db' | 'clock'>) => ({
  /** The names of the operator's keys that no tenant may use. */
  withheld: (): Promise<readonly string[]> =>
    runQuery(async () => {
      const rows = await db.selectFrom('withheld_provider_keys').select('name').execute();
      return rows.map(({ name }) => name);
    }),
  /** What providers allow the operator's account, where it is not what presets say. */
  quotas: (): Promise<readonly KeyQuota[]> =>
    runQuery(() => db.selectFrom('provider_key_quotas').selectAll().execute()),
  /** Null calls: what the preset says. */
  setQuota: ({ name, dataset }: Omit<KeyQuota, 'calls'>, calls: number | null, actor: string) =>
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

/** Responses that were received with a key go with it, also while no gateway runs. */
const deleteLastGood = ({ db }: Change, tenantId: string) =>
  db.deleteFrom('last_good').where('tenant_id', '=', tenantId).execute();

const ownerOf = (tenantId: string, name: string): SecretOwner => ({
  tenantId,
  subjectId: 'provider-keys',
  field: name,
});

/** A stored key of a tenant. `changedBy` is `cli`, or the id of a person or an API key. */
export type StoredOwnKey = Readonly<Awaited<ReturnType<typeof listKeys>>[number]>;

const listKeys = (db: Kysely<Tables>) =>
  db
    .selectFrom('own_provider_keys as keys')
    .innerJoin('secrets', (join) =>
      join
        .onRef('secrets.tenant_id', '=', 'keys.tenant_id')
        .onRef('secrets.field', '=', 'keys.name')
        .on('secrets.subject_id', '=', ownerOf('', '').subjectId),
    )
    .select([
      'keys.tenant_id as tenantId',
      'keys.name',
      'keys.changed_at_ms as changedAtMs',
      'keys.changed_by as changedBy',
      'keys.origins',
      'secrets.encrypted',
    ])
    .orderBy('keys.tenant_id')
    .orderBy('keys.name')
    .execute();
