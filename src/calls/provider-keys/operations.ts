import { Type } from 'typebox';
import type { KeyDatasets } from '../../access/provider-keys/key-datasets.ts';
import type { OwnKeyStore } from '../../access/provider-keys/own-key-store.ts';
import type { OwnKeys } from '../../access/provider-keys/own-keys.ts';
import { MAX_VALUE_LENGTH } from '../../access/provider-keys/provider-key-store.ts';
import {
  assertKnown,
  type ProviderKeyState,
  type ProviderKeys,
} from '../../access/provider-keys/provider-keys.ts';
import { operatorOperation } from '../../platform/input/operation.ts';
import { list, orNull, recordOf, TEXT, TIME } from '../../platform/input/schema.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { isoTimeOrNull } from '../../platform/kernel/time.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import { LANGUAGES } from '../../tools/catalog/in-language.ts';
import type { KeyInUse } from '../../tools/tool-connection.ts';
import type { QuotaReading } from '../quotas/quota-figures.ts';
import { type DatasetView, findDataset, viewDatasets } from './datasets.ts';
import {
  type KeyServer,
  keyNamesOf,
  presetsInLanguage,
  serversOf,
  testCallsOf,
} from './key-users.ts';

export interface ProviderKeyOperationsDeps {
  readonly providerKeys: ProviderKeys;
  readonly ownKeys: Pick<OwnKeys, 'policyOf'>;
  readonly ownKeyStore: Pick<OwnKeyStore, 'setQuota'>;
  readonly keyDatasets: Pick<KeyDatasets, 'readinessOf' | 'markApplied'>;
  /** The operator's key, as calls send it; undefined if it is not set. */
  readonly keyInUse: (name: string) => KeyInUse | undefined;
  readonly catalog: Pick<Catalog, 'presetEntries'>;
  readonly quotas: QuotaReading;
}

export const PROVIDER_KEY_NAME = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Name of the secret in `x-secret` of the preset.',
});
export const PROVIDER_KEY_VALUE = Type.String({
  minLength: 1,
  maxLength: MAX_VALUE_LENGTH,
  description: 'What the provider issued. It is never shown.',
});

const DATASET_ID = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The `id` of a dataset of the key.',
});

export const DATASET = recordOf<DatasetView>(
  'A dataset with its `id`, `title`, `tools` and `applyUrl`; whether the key can be used for it (`state`, `since`), what the provider said (`evidence`), and how much of the `quota` was used today.',
);

export const KEY_LANGUAGE = Type.Optional(
  Type.Enum([...LANGUAGES], { description: 'Language of titles and of `howToGet`: `en` or `ko`.' }),
);

export const POLICY = Type.Enum(['shared', 'own'], {
  description: '`shared`: tenants without an own key use it. `own`: every tenant brings its own.',
});

const KEY = Type.Object(
  {
    name: TEXT,
    origin: Type.Enum(['environment', 'stored', 'sandbox', 'unreadable', 'missing']),
    isStored: Type.Boolean({
      description: 'Whether a value is stored, which the environment may override.',
    }),
    policy: POLICY,
    changedAt: orNull(TIME),
    changedBy: orNull(TEXT),
    changedByEmail: orNull(TEXT),
    servers: list(
      recordOf<KeyServer>('A preset with `howToGet`, `url` and the `tools` that need the key.'),
    ),
    testTools: Type.Unsafe<readonly string[]>({
      type: 'array',
      items: TEXT,
      description: 'Names of the tools with which the key can be tested, cheapest first.',
    }),
    datasets: list(DATASET),
  },
  { $id: 'ProviderKey' },
);

/** The secrets of presets, for operators. Values are received, and never sent. */
export const createProviderKeyOperations = (deps: ProviderKeyOperationsDeps) => {
  const { providerKeys, keyInUse, ownKeys } = deps;
  const datasets = (name: string, presets = deps.catalog): Promise<DatasetView[]> =>
    viewDatasets({ ...deps, catalog: presets }, { name, key: keyInUse(name), viewer: 'operator' });
  const view = async (state: ProviderKeyState, presets = deps.catalog) => ({
    name: state.name,
    origin: state.origin,
    isStored: state.isStored,
    policy: ownKeys.policyOf(state.name),
    changedAt: isoTimeOrNull(state.changedAtMs),
    changedBy: state.changedBy,
    changedByEmail: state.changedByEmail,
    servers: serversOf(presets, state.name),
    testTools: testCallsOf(presets, state.name).map(({ entry }) => entry.tool.name),
    datasets: await datasets(state.name, presets),
  });
  return {
    ...createDatasetOperations(deps, datasets),
    'GET /provider-keys': operatorOperation({
      name: 'provider-keys list',
      summary: 'List the secrets that presets need, without their values.',
      input: { lang: KEY_LANGUAGE },
      output: Type.Object({
        canStore: Type.Boolean({
          description: 'Whether values can be stored; if not, ENCRYPTION_KEY is not set.',
        }),
        keys: list(KEY),
      }),
      handle: async (_, { lang }) => {
        const presets = presetsInLanguage(deps.catalog, lang);
        const keys = (await providerKeys.list()).map((state) => view(state, presets));
        return { canStore: providerKeys.canStore, keys: await Promise.all(keys) };
      },
    }),
    'POST /provider-keys/:name': operatorOperation({
      name: 'provider-keys set',
      summary: 'Store the value of a secret that presets need.',
      input: { name: PROVIDER_KEY_NAME, value: PROVIDER_KEY_VALUE },
      output: KEY,
      example: { value: 'what-the-provider-issued' },
      takesSecret: true,
      handle: async ({ actor }, { name, value }) =>
        view(await providerKeys.set(name, new Secret(value), actor.id)),
    }),
    'DELETE /provider-keys/:name': operatorOperation({
      name: 'provider-keys remove',
      summary: 'Remove a stored value.',
      input: { name: PROVIDER_KEY_NAME },
      output: KEY,
      handle: async ({ actor }, { name }) => view(await providerKeys.remove(name, actor.id)),
    }),
  };
};

/** What operators say of a key and one of its datasets. */
const createDatasetOperations = (
  { providerKeys, ownKeyStore, catalog, keyDatasets, keyInUse }: ProviderKeyOperationsDeps,
  datasets: (name: string) => Promise<DatasetView[]>,
) => {
  const idOf = (name: string, dataset: string): string => {
    assertKnown(name, keyNamesOf(catalog));
    return findDataset(catalog, name, dataset).id;
  };
  const show = async (name: string, id: string): Promise<DatasetView> =>
    (await datasets(name)).find((each) => each.id === id) as DatasetView;
  return {
    'POST /provider-keys/:name/applied': operatorOperation({
      name: 'provider-keys applied',
      summary:
        'Note that a dataset was applied for: for 72 hours, refusals count as not activated yet.',
      input: { name: PROVIDER_KEY_NAME, dataset: DATASET_ID },
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
      input: {
        name: PROVIDER_KEY_NAME,
        dataset: DATASET_ID,
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
        await ownKeyStore.setQuota({ name, dataset: id }, calls || null, actor.id);
        await providerKeys.refresh();
        return show(name, id);
      },
    }),
  };
};
