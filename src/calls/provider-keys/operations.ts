import { Type } from 'typebox';
import type { KeyDatasets } from '../../access/provider-keys/key-datasets.ts';
import { MAX_VALUE_LENGTH, OPERATOR } from '../../access/provider-keys/provider-key-store.ts';
import { assertKnown } from '../../access/provider-keys/provider-keys.ts';
import {
  operatorOperation,
  type TenantAddress,
  tenantOperation,
} from '../../platform/input/operation.ts';
import { BOOLEAN, list, NOTHING, ORIGINS, TEXT } from '../../platform/input/schema.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { LANGUAGES } from '../../tools/catalog/in-language.ts';
import { type DatasetView, findDataset } from './datasets.ts';
import { keyNamesOf } from './key-users.ts';
import {
  createKeyViews,
  DATASET,
  type KeyViewsDeps,
  POLICY,
  PROVIDER_KEY,
  TENANT_KEY,
} from './key-views.ts';

export interface ProviderKeyOperationsDeps extends KeyViewsDeps {
  readonly keyDatasets: Pick<KeyDatasets, 'latestOf' | 'markApplied'>;
}

export const PROVIDER_KEY_NAME = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Name that presets give in `x-secret`, such as PUBLIC_DATA_SERVICE_KEY.',
});
export const PROVIDER_KEY_VALUE = Type.String({
  minLength: 1,
  maxLength: MAX_VALUE_LENGTH,
  description: 'What the provider issued. It is never shown.',
});

const NAME = { name: PROVIDER_KEY_NAME };
const NAME_AND_VALUE = { ...NAME, value: PROVIDER_KEY_VALUE };
const NAME_AND_DATASET = {
  ...NAME,
  dataset: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'The `id` of a dataset of the key.',
  }),
};
const LANGUAGE = {
  lang: Type.Optional(
    Type.Enum([...LANGUAGES], {
      description: 'Language of titles and of `howToGet`: `en` or `ko`.',
    }),
  ),
};

/** The provider keys of the operator and of tenants. Values are received, and never sent. */
export const createProviderKeyOperations = (deps: ProviderKeyOperationsDeps) => ({
  ...createOperatorKeyOperations(deps),
  ...createDatasetOperations(deps),
  ...createTenantKeyOperations(deps),
});

const createOperatorKeyOperations = (deps: ProviderKeyOperationsDeps) => {
  const { providerKeys } = deps;
  const views = createKeyViews(deps);
  const keyIn = (name: string) => ({ tenantId: OPERATOR, name });
  return {
    'GET /provider-keys': operatorOperation({
      name: 'provider-keys list',
      summary: 'List the secrets that presets need, without their values.',
      input: LANGUAGE,
      output: Type.Object({
        canStore: Type.Boolean({
          description: 'Whether values can be stored; if not, ENCRYPTION_KEY is not set.',
        }),
        keys: list(PROVIDER_KEY),
      }),
      handle: async (_, { lang }) => ({
        canStore: providerKeys.canStore,
        keys: await views.listOperatorKeys(lang),
      }),
    }),
    'POST /provider-keys/:name': operatorOperation({
      name: 'provider-keys set',
      summary: 'Store the value of a secret that presets need.',
      trail: 'provider_key.set',
      input: NAME_AND_VALUE,
      output: PROVIDER_KEY,
      example: { value: 'what-the-provider-issued' },
      takesSecret: true,
      handle: async ({ actor }, { name, value }) => {
        await providerKeys.set(keyIn(name), new Secret(value), actor.id);
        return views.showOperatorKey(name);
      },
    }),
    'POST /provider-keys/:name/policy': operatorOperation({
      name: 'provider-keys policy',
      summary: 'Choose whether tenants that have no key of their own use the key of the operator.',
      trail: 'provider_key.policy',
      input: { ...NAME, policy: POLICY },
      output: Type.Object({ name: TEXT, policy: POLICY }),
      example: { policy: 'own' },
      handle: async ({ actor }, { name, policy }) => {
        await providerKeys.setPolicy(name, policy, actor.id);
        return { name, policy: providerKeys.policyOf(name) };
      },
    }),
    'DELETE /provider-keys/:name': operatorOperation({
      name: 'provider-keys remove',
      summary: 'Remove a stored value.',
      trail: 'provider_key.removed',
      input: NAME,
      output: PROVIDER_KEY,
      handle: async ({ actor }, { name }) => {
        await providerKeys.remove(keyIn(name), actor.id);
        return views.showOperatorKey(name);
      },
    }),
  };
};

/** What operators say of a key and one of its datasets. */
const createDatasetOperations = (deps: ProviderKeyOperationsDeps) => {
  const { providerKeys, catalog, keyDatasets, keyInUse } = deps;
  const { datasetsOf } = createKeyViews(deps);
  const idOf = (name: string, dataset: string): string => {
    assertKnown(name, keyNamesOf(catalog));
    return findDataset(catalog, name, dataset).id;
  };
  const show = async (name: string, id: string): Promise<DatasetView> =>
    (await datasetsOf({ tenantId: OPERATOR, name })).find((each) => each.id === id) as DatasetView;
  return {
    'POST /provider-keys/:name/applied': operatorOperation({
      name: 'provider-keys applied',
      summary:
        'Note that a dataset was applied for: for 72 hours, refusals count as not activated yet.',
      trail: 'provider_key.applied',
      input: NAME_AND_DATASET,
      output: DATASET,
      example: { dataset: '15084084' },
      handle: async ({ actor }, { name, dataset }) => {
        const id = idOf(name, dataset);
        const key = keyInUse(name);
        if (!key) throw new GatewayError('missing_secret', `${name} is not set. Set it first.`);
        const { fingerprint, tenantId } = key;
        await keyDatasets.markApplied(
          { fingerprint, name, dataset: id },
          { actor: actor.id, tenantId },
        );
        return show(name, id);
      },
    }),
    'POST /provider-keys/:name/quota': operatorOperation({
      name: 'provider-keys quota',
      summary: 'Say how many requests a day the provider allows for a dataset.',
      trail: 'provider_key.quota',
      input: {
        ...NAME_AND_DATASET,
        calls: Type.Integer({
          minimum: 0,
          maximum: 1_000_000_000,
          description: 'Requests a day, as the provider counts them; 0 = as the preset says.',
        }),
      },
      output: DATASET,
      example: { dataset: '15084084', calls: 100_000 },
      handle: async ({ actor }, { name, dataset, calls }) => {
        const id = idOf(name, dataset);
        await providerKeys.setQuota(name, id, calls || null, actor.id);
        return show(name, id);
      },
    }),
  };
};

/** Where tenants manage their keys; the statuses are those beside the usual. */
const tenantAddress = (
  operation: string,
  path: '' | '/:name',
  statuses: TenantAddress['statuses'] = {},
): TenantAddress => ({
  path: `/api/v1/provider-keys${path}`,
  operation,
  tag: 'Provider keys',
  // They serve tools that do not exist for a key with a list.
  narrowKeys: 'not_found',
  statuses: { 404: path ? UNKNOWN : NARROW, ...statuses },
});

const NARROW = 'The API key has a list of allowed tools.';
const UNKNOWN = `No preset needs such a key; the message names the nearest. Or: ${NARROW}`;

const SET = {
  200: 'The key that was replaced.',
  201: 'The key that was added.',
  400: 'The value is empty, too long, encoded twice, or has control characters.',
  503: 'The gateway has no ENCRYPTION_KEY, or its database is away.',
};

/** The store says what is wrong with one. */
const VALUE = Type.String({ description: 'What the provider issued. It is never shown.' });

/** The keys that calls of a tenant send, for the tenant (docs/contract.md#own-keys). */
const createTenantKeyOperations = (deps: ProviderKeyOperationsDeps) => {
  const { providerKeys } = deps;
  const views = createKeyViews(deps);
  return {
    'GET /tenants/:tenant/provider-keys': tenantOperation('key', {
      address: tenantAddress('listProviderKeys', ''),
      name: 'own-keys list',
      summary: 'List the provider keys that calls of the tenant send, without their values.',
      input: LANGUAGE,
      output: Type.Object({ providerKeys: list(TENANT_KEY) }),
      handle: async ({ tenant }, { lang }) => ({
        providerKeys: await views.listTenantKeys(tenant.id, lang),
      }),
    }),
    'GET /tenants/:tenant/provider-keys/:name': tenantOperation('key', {
      address: tenantAddress('getProviderKey', '/:name'),
      name: 'own-keys show',
      summary: 'Show a provider key that calls of the tenant send, without its value.',
      input: NAME,
      output: TENANT_KEY,
      handle: ({ tenant }, { name }) => views.showTenantKey({ tenantId: tenant.id, name }),
    }),
    'PUT /tenants/:tenant/provider-keys/:name': tenantOperation('key', {
      address: tenantAddress('setProviderKey', '/:name', SET),
      name: 'own-keys set',
      summary: "Store a key of the tenant, which its calls send in place of the operator's.",
      trail: 'own_key.set',
      input: { ...NAME, value: VALUE },
      output: Type.Object({ ...TENANT_KEY.properties, isNew: BOOLEAN }, { $id: 'SetProviderKey' }),
      example: { value: 'what-the-provider-issued-to-the-tenant' },
      takesSecret: true,
      isCreated: ({ isNew }) => isNew,
      handle: async ({ tenant, actor }, { name, value }) => {
        const key = { tenantId: tenant.id, name };
        // A name is refused before its value.
        await views.showTenantKey(key);
        const isNew = await providerKeys.set(key, new Secret(value), actor.id);
        return { ...(await views.showTenantKey(key)), isNew };
      },
    }),
    'POST /tenants/:tenant/provider-keys/:name/origins': tenantOperation('admin', {
      name: 'own-keys origins',
      summary:
        'Say where registered APIs of the tenant may send the key, besides hosts of presets that name it.',
      trail: 'own_key.origins',
      input: {
        ...NAME,
        origins: { ...ORIGINS, description: 'All that are allowed, in place of those before.' },
      },
      output: TENANT_KEY,
      example: { origins: ['https://api.example.com'] },
      handle: async ({ tenant, actor }, { name, origins }) => {
        const key = { tenantId: tenant.id, name };
        await providerKeys.setOrigins(key, origins, actor.id);
        return views.showTenantKey(key);
      },
    }),
    'DELETE /tenants/:tenant/provider-keys/:name': tenantOperation('key', {
      address: tenantAddress('deleteProviderKey', '/:name'),
      name: 'own-keys remove',
      trail: 'own_key.removed',
      summary:
        "Remove a key of the tenant: its calls send the operator's again, if that is shared.",
      input: NAME,
      output: NOTHING,
      handle: ({ tenant, actor }, { name }) =>
        providerKeys.remove({ tenantId: tenant.id, name }, actor.id),
    }),
  };
};
