import { Type } from 'typebox';
import type { OwnKeyStore } from '../../access/provider-keys/own-key-store.ts';
import type {
  KeyDestination,
  MaySend,
  OwnKey,
  OwnKeys,
} from '../../access/provider-keys/own-keys.ts';
import { assertKnown, type ProviderKeys } from '../../access/provider-keys/provider-keys.ts';
import { operatorOperation, tenantOperation } from '../../platform/input/operation.ts';
import { list, NOTHING, ORIGINS, orNull, TEXT, TIME } from '../../platform/input/schema.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { isoTimeOrNull } from '../../platform/kernel/time.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import type { Language } from '../../tools/catalog/in-language.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import type { KeyInUse } from '../../tools/tool-connection.ts';
import { type DatasetViewDeps, viewDatasets } from './datasets.ts';
import { keyNamesOf, presetsInLanguage } from './key-users.ts';
import {
  DATASET,
  KEY_LANGUAGE,
  POLICY,
  PROVIDER_KEY_NAME,
  PROVIDER_KEY_VALUE,
} from './operations.ts';

export interface OwnKeysOfTenantsDeps extends DatasetViewDeps {
  readonly ownKeyStore: Pick<OwnKeyStore, 'set' | 'remove' | 'setPolicy' | 'setOrigins'>;
  readonly ownKeys: Pick<OwnKeys, 'of' | 'policyOf'>;
  readonly providerKeys: Pick<ProviderKeys, 'refresh'>;
  readonly catalog: Pick<Catalog, 'presetEntries' | 'list'>;
  /** The key that a tenant sends: its own, or the operator's. */
  readonly keyOf: (tenantId: string) => (name: string) => KeyInUse | undefined;
  readonly maySend: MaySend;
  /** Where registered APIs of a tenant send its keys, if they may. */
  readonly keyOrigins: (tenantId: string) => Promise<readonly KeyDestination[]>;
}

/** A provider key of a tenant. */
interface OwnKeyRequest {
  readonly tenantId: string;
  readonly name: string;
}

export const OWN_KEY = Type.Object(
  {
    name: TEXT,
    owner: Type.Enum(['tenant', 'operator'], {
      description: '`tenant` if the tenant has stored a key of its own, which its calls send.',
    }),
    isSet: Type.Boolean({ description: 'Whether calls of the tenant have a key to send.' }),
    policy: POLICY,
    changedAt: orNull(TIME),
    origins: list(
      Type.String({ description: 'Where an admin lets registered APIs send the key.' }),
    ),
    waiting: list(
      Type.String({
        description: 'Origin of a registered API whose calls fail until an admin allows it.',
      }),
    ),
    datasets: list(DATASET),
  },
  { $id: 'TenantProviderKey' },
);

export type OwnKeysOfTenants = ReturnType<typeof createOwnKeysOfTenants>;

/** Creates what shows and changes the provider keys of a tenant, for REST and for management. */
export function createOwnKeysOfTenants(deps: OwnKeysOfTenantsDeps) {
  const { ownKeyStore, ownKeys, providerKeys, catalog, keyOf, keyOrigins } = deps;

  const view = async (
    { tenantId, name }: OwnKeyRequest,
    wanted: readonly KeyDestination[],
    language?: Language,
  ) => {
    const own = ownKeys.of(tenantId)?.own.get(name);
    const key = keyOf(tenantId)(name);
    const owner: 'tenant' | 'operator' = own ? 'tenant' : 'operator';
    return {
      ...{ name, owner, isSet: key !== undefined, policy: ownKeys.policyOf(name) },
      changedAt: isoTimeOrNull(own?.changedAtMs ?? null),
      origins: own?.origins ?? [],
      waiting: own ? waitingOf(deps, own, wanted) : [],
      datasets: await viewDatasets(
        { ...deps, catalog: presetsInLanguage(catalog, language) },
        {
          name,
          key,
          viewer: { tenantId },
          registered: registeredWith(catalog, { tenantId, name }),
        },
      ),
    };
  };

  /** Rejects with `not_found` for a name that no preset has. */
  const show = async (request: OwnKeyRequest) => {
    assertKnown(request.name, keyNamesOf(catalog));
    return view(request, await keyOrigins(request.tenantId));
  };

  return {
    /** The keys that presets name, by name. */
    list: async (tenantId: string, language?: Language) => {
      const wanted = await keyOrigins(tenantId);
      const names = keyNamesOf(catalog);
      return Promise.all(names.map((name) => view({ tenantId, name }, wanted, language)));
    },
    show,
    /** Stores a value; resolves, once this process uses it, with whether there was none. */
    async set(request: OwnKeyRequest, value: string, actor: string) {
      assertKnown(request.name, keyNamesOf(catalog));
      const isNew = await ownKeyStore.set({ ...request, actor }, new Secret(value));
      await providerKeys.refresh();
      return { isNew, key: await show(request) };
    },
    /** Says where registered APIs may send a key. Rejects with `not_found` if the tenant has stored none. */
    async setOrigins(request: OwnKeyRequest, origins: readonly string[], actor: string) {
      assertKnown(request.name, keyNamesOf(catalog));
      await ownKeyStore.setOrigins({ ...request, actor }, [...new Set(origins)]);
      await providerKeys.refresh();
      return show(request);
    },
    /** Removes a value, also of a name that no preset has any more. Rejects with `not_found` without one. */
    async remove(request: OwnKeyRequest, actor: string): Promise<void> {
      const isStored = ownKeys.of(request.tenantId)?.own.has(request.name);
      if (!isStored) assertKnown(request.name, keyNamesOf(catalog));
      await ownKeyStore.remove({ ...request, actor });
      await providerKeys.refresh();
    },
  };
}

/** Where registered APIs would send a key, and may not. */
const waitingOf = (
  { maySend }: Pick<OwnKeysOfTenantsDeps, 'maySend'>,
  own: OwnKey,
  wanted: readonly KeyDestination[],
): string[] => {
  const of = wanted.filter(({ name }) => name === own.name).map(({ origin }) => origin);
  return [...new Set(of)].filter((origin) => !maySend(own, origin));
};

/** The tools of the tenant's own APIs that send this key. */
const registeredWith = (
  catalog: Pick<Catalog, 'list'>,
  { tenantId, name }: OwnKeyRequest,
): CatalogEntry[] =>
  catalog
    .list({ tenantId, tenantSlug: '', apiKeyId: '', allowedTools: null })
    .filter(({ connection, tool: { secrets } }) => {
      const [secret = ''] = secrets;
      return connection?.current?.().keyInUse?.(secret)?.name === name;
    });

/** The own keys of a tenant, for its members, and whether it needs any. */
export function createOwnKeyOperations(deps: OwnKeysOfTenantsDeps) {
  const keys = createOwnKeysOfTenants(deps);
  return {
    'GET /tenants/:tenant/own-keys': tenantOperation('viewer', {
      name: 'own-keys list',
      summary: 'List the provider keys that calls of the tenant send, without their values.',
      input: { lang: KEY_LANGUAGE },
      output: Type.Object({ providerKeys: list(OWN_KEY) }),
      handle: async ({ tenant }, { lang }) => ({ providerKeys: await keys.list(tenant.id, lang) }),
    }),
    'POST /tenants/:tenant/own-keys/:name': tenantOperation('admin', {
      name: 'own-keys set',
      summary: "Store a key of the tenant, which its calls send in place of the operator's.",
      input: { name: PROVIDER_KEY_NAME, value: PROVIDER_KEY_VALUE },
      output: OWN_KEY,
      example: { value: 'what-the-provider-issued-to-the-tenant' },
      takesSecret: true,
      handle: async ({ tenant, actor }, { name, value }) =>
        (await keys.set({ tenantId: tenant.id, name }, value, actor.id)).key,
    }),
    'POST /tenants/:tenant/own-keys/:name/origins': tenantOperation('admin', {
      name: 'own-keys origins',
      summary:
        'Say where registered APIs of the tenant may send the key, besides hosts of presets that name it.',
      input: {
        name: PROVIDER_KEY_NAME,
        origins: { ...ORIGINS, description: 'All that are allowed, in place of those before.' },
      },
      output: OWN_KEY,
      example: { origins: ['https://api.example.com'] },
      handle: ({ tenant, actor }, { name, origins }) =>
        keys.setOrigins({ tenantId: tenant.id, name }, origins, actor.id),
    }),
    'POST /provider-keys/:name/policy': operatorOperation({
      name: 'provider-keys policy',
      summary: 'Choose whether tenants without an own key use that of the operator.',
      input: { name: PROVIDER_KEY_NAME, policy: POLICY },
      output: Type.Object({ name: TEXT, policy: POLICY }),
      example: { policy: 'own' },
      handle: async ({ actor }, { name, policy }) => {
        assertKnown(name, keyNamesOf(deps.catalog));
        await deps.ownKeyStore.setPolicy(name, policy, actor.id);
        await deps.providerKeys.refresh();
        return { name, policy: deps.ownKeys.policyOf(name) };
      },
    }),
    'DELETE /tenants/:tenant/own-keys/:name': tenantOperation('admin', {
      name: 'own-keys remove',
      summary:
        "Remove a key of the tenant: its calls send the operator's again, if that is shared.",
      input: { name: PROVIDER_KEY_NAME },
      output: NOTHING,
      handle: ({ tenant, actor }, { name }) => keys.remove({ tenantId: tenant.id, name }, actor.id),
    }),
  };
}
