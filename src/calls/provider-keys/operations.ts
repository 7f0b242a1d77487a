import { Type } from 'typebox';
import { MAX_VALUE_LENGTH } from '../../access/provider-keys/provider-key-store.ts';
import type { ProviderKeyState, ProviderKeys } from '../../access/provider-keys/provider-keys.ts';
import { operatorOperation } from '../../platform/input/operation.ts';
import { list, orNull, recordOf, TEXT, TIME } from '../../platform/input/schema.ts';
import { isoTimeOrNull } from '../../platform/kernel/iso-time.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import { type KeyServer, serversOf, testCallsOf } from './key-users.ts';

export interface ProviderKeyOperationsDeps {
  readonly providerKeys: ProviderKeys;
  readonly catalog: Pick<Catalog, 'presetEntries'>;
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

const KEY = Type.Object(
  {
    name: TEXT,
    origin: Type.Enum(['environment', 'stored', 'sandbox', 'unreadable', 'missing']),
    isStored: Type.Boolean({
      description: 'Whether a value is stored, which the environment may override.',
    }),
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
  },
  { $id: 'ProviderKey' },
);

/** The secrets of presets, for operators. Values are received, and never sent. */
export const createProviderKeyOperations = ({
  providerKeys,
  catalog,
}: ProviderKeyOperationsDeps) => {
  const view = (state: ProviderKeyState) => ({
    name: state.name,
    origin: state.origin,
    isStored: state.isStored,
    changedAt: isoTimeOrNull(state.changedAtMs),
    changedBy: state.changedBy,
    changedByEmail: state.changedByEmail,
    servers: serversOf(catalog, state.name),
    testTools: testCallsOf(catalog, state.name).map(({ entry }) => entry.tool.name),
  });
  return {
    'GET /provider-keys': operatorOperation({
      name: 'provider-keys list',
      summary: 'List the secrets that presets need, without their values.',
      input: {},
      output: Type.Object({
        canStore: Type.Boolean({
          description: 'Whether values can be stored; if not, ENCRYPTION_KEY is not set.',
        }),
        keys: list(KEY),
      }),
      handle: async () => ({
        canStore: providerKeys.canStore,
        keys: (await providerKeys.list()).map(view),
      }),
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
