import { Type } from 'typebox';
import { OPERATOR, type ProviderKeyId } from '../../access/provider-keys/provider-key-store.ts';
import {
  assertKnown,
  type KeyDestination,
  type MaySend,
  type ProviderKeyState,
  type ProviderKeys,
} from '../../access/provider-keys/provider-keys.ts';
import { INTEGER, list, orNull, recordOf, TEXT, TIME } from '../../platform/input/schema.ts';
import { isoTimeOrNull } from '../../platform/kernel/time.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import type { Language } from '../../tools/catalog/in-language.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import type { KeyInUse } from '../../tools/tool-connection.ts';
import { type DatasetView, type DatasetViewDeps, viewDatasets } from './datasets.ts';
import { conditionOf, KEY_STATES } from './key-state.ts';
import {
  type KeyServer,
  keyNamesOf,
  presetsInLanguage,
  serversOf,
  testCallsOf,
} from './key-users.ts';

type Presets = Pick<Catalog, 'presetEntries'>;

export interface KeyViewsDeps extends DatasetViewDeps {
  readonly providerKeys: ProviderKeys;
  readonly catalog: Pick<Catalog, 'presetEntries' | 'list'>;
  /** The operator's key, as calls send it; undefined if it is not set. */
  readonly keyInUse: (name: string) => KeyInUse | undefined;
  /** The key that a tenant sends: its own, or the operator's. */
  readonly keyOf: (tenantId: string) => (name: string) => KeyInUse | undefined;
  readonly maySend: MaySend;
  /** Where registered APIs of a tenant send its keys, if they may. */
  readonly keyOrigins: (tenantId: string) => Promise<readonly KeyDestination[]>;
}

export const DATASET = recordOf<DatasetView>(
  'A dataset with its `id`, `title`, `tools` and `applyUrl`; whether the key can be used for it (`state`, `since`), what the provider said (`evidence`), and how much of the `quota` was used today.',
);

export const POLICY = Type.Enum(['shared', 'own'], {
  description:
    '`shared`: tenants that have no key of their own use it. `own`: every tenant brings its own.',
});

const CONDITION = {
  state: Type.Enum([...KEY_STATES], { description: 'The worst state of its datasets.' }),
  affected: { ...INTEGER, description: 'How many of its datasets are in this state.' },
  since: orNull(TIME),
  evidence: Type.Unsafe<DatasetView['evidence']>({
    type: ['object', 'null'],
    description: 'What the provider said last: `code`, `at`, `text`.',
  }),
  advice: orNull(Type.String({ description: 'What to do.' })),
  datasets: list(DATASET),
};

export const PROVIDER_KEY = Type.Object(
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
    ...CONDITION,
  },
  { $id: 'ProviderKey' },
);

export const TENANT_KEY = Type.Object(
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
    ...CONDITION,
  },
  { $id: 'TenantProviderKey' },
);

/** Creates what shows provider keys, without their values: to operators, and to the tenants that send them. */
export function createKeyViews(deps: KeyViewsDeps) {
  const { providerKeys, catalog, keyInUse, keyOf, keyOrigins } = deps;
  const inLanguage = (language?: Language): Presets => presetsInLanguage(catalog, language);

  const datasetsOf = ({ tenantId, name }: ProviderKeyId, presets: Presets = catalog) =>
    viewDatasets(
      { ...deps, catalog: presets },
      tenantId === OPERATOR
        ? { name, key: keyInUse(name), viewer: 'operator' }
        : {
            ...{ name, key: keyOf(tenantId)(name), viewer: { tenantId } },
            registered: registeredWith(catalog, { tenantId, name }),
          },
    );

  const viewOperatorKey = async ({ changedAtMs, ...state }: ProviderKeyState, presets: Presets) => {
    const { name, origin } = state;
    const datasets = await datasetsOf({ tenantId: OPERATOR, name }, presets);
    const unset = origin === 'missing' || origin === 'unreadable' ? origin : null;
    return {
      ...{ ...state, ...conditionOf({ datasets, unset }) },
      policy: providerKeys.policyOf(name),
      changedAt: isoTimeOrNull(changedAtMs),
      servers: serversOf(presets, name),
      testTools: testCallsOf(presets, name).map(({ entry }) => entry.tool.name),
      datasets,
    };
  };

  const viewTenantKey = async (
    id: ProviderKeyId,
    wanted: readonly KeyDestination[],
    presets: Presets,
  ) => {
    const { tenantId, name } = id;
    const key = providerKeys.of(tenantId)?.stored.get(name);
    const owner: 'tenant' | 'operator' = key ? 'tenant' : 'operator';
    const isSet = keyOf(tenantId)(name) !== undefined;
    const policy = providerKeys.policyOf(name);
    const datasets = await datasetsOf(id, presets);
    const asked = wanted.filter((each) => each.name === name).map(({ origin }) => origin);
    return {
      ...{ name, owner, isSet, policy },
      ...conditionOf({
        datasets,
        unset: isSet ? null : key ? 'unreadable' : 'missing',
        isBorrowed: owner === 'operator' && policy === 'shared',
      }),
      changedAt: isoTimeOrNull(key?.changedAtMs ?? null),
      origins: key?.origins ?? [],
      waiting: key ? [...new Set(asked)].filter((origin) => !deps.maySend(key, origin)) : [],
      datasets,
    };
  };

  return {
    datasetsOf,
    listOperatorKeys: async (language?: Language) => {
      const presets = inLanguage(language);
      return Promise.all(
        (await providerKeys.list()).map((state) => viewOperatorKey(state, presets)),
      );
    },
    showOperatorKey: async (name: string) =>
      viewOperatorKey(await providerKeys.show(name), catalog),
    /** The keys that presets name, by name. */
    listTenantKeys: async (tenantId: string, language?: Language) => {
      const wanted = await keyOrigins(tenantId);
      const presets = inLanguage(language);
      const names = keyNamesOf(catalog);
      return Promise.all(names.map((name) => viewTenantKey({ tenantId, name }, wanted, presets)));
    },
    /** Rejects with `not_found` for a name that no preset has. */
    showTenantKey: async (id: ProviderKeyId) => {
      assertKnown(id.name, keyNamesOf(catalog));
      return viewTenantKey(id, await keyOrigins(id.tenantId), catalog);
    },
  };
}

/** The tools of the tenant's registered APIs that send this key. */
const registeredWith = (
  catalog: Pick<Catalog, 'list'>,
  { tenantId, name }: ProviderKeyId,
): CatalogEntry[] =>
  catalog
    .list({ tenantId, tenantSlug: '', apiKeyId: '', allowedTools: null })
    .filter(({ connection, tool: { secrets } }) => {
      const [secret = ''] = secrets;
      return connection?.current?.().keyInUse?.(secret)?.name === name;
    });
