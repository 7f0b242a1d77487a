import { Type } from 'typebox';
import { MAX_VALUE_LENGTH } from '../../access/provider-keys/provider-key-store.ts';
import type { ProviderKeyState, ProviderKeys } from '../../access/provider-keys/provider-keys.ts';
import type { Tenant } from '../../access/tenants/tenant-store.ts';
import { serversOf, testCallsOf } from '../../calls/provider-keys/key-users.ts';
import type { TestProviderKey } from '../../calls/provider-keys/test-provider-key.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { isoTimeOrNull } from '../../platform/kernel/iso-time.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import { callContextOf } from '../json-rpc/call-context.ts';
import { operatorRoute } from './admin-route.ts';
import { personCaller } from './person-caller.ts';

export interface ProviderKeyRoutesDeps {
  readonly providerKeys: ProviderKeys;
  readonly testProviderKey: TestProviderKey;
  readonly catalog: Pick<Catalog, 'presetEntries'>;
  readonly findTenant: (slug: string) => Promise<Tenant | undefined>;
}

/** What the audit log has as the client, as for every call that a person makes here. */
const CLIENT_NAME = 'Dashboard';

const name = Type.String({ minLength: 1, maxLength: 200 });
const value = Type.String({ minLength: 1, maxLength: MAX_VALUE_LENGTH });

/** The secrets of presets, for operators. Values are received, and never sent. */
export const createProviderKeyRoutes = (deps: ProviderKeyRoutesDeps) => {
  const { providerKeys, testProviderKey, catalog, findTenant } = deps;
  return {
    'GET /provider-keys': operatorRoute({
      input: {},
      handle: async () => ({
        /** Whether values can be stored; if not, ENCRYPTION_KEY is not set. */
        canStore: providerKeys.canStore,
        keys: (await providerKeys.list()).map((state) => describeKey(catalog, state)),
      }),
    }),
    'POST /provider-keys/:name': operatorRoute({
      input: { name, value },
      handle: async ({ person }, input) =>
        describeKey(
          catalog,
          await providerKeys.set(input.name, new Secret(input.value), person.id),
        ),
    }),
    'DELETE /provider-keys/:name': operatorRoute({
      input: { name },
      handle: async ({ person }, input) =>
        describeKey(catalog, await providerKeys.remove(input.name, person.id)),
    }),
    'POST /provider-keys/:name/test': operatorRoute({
      input: {
        name,
        /** A value to test before it is stored. */
        value: Type.Optional(value),
        /** The tool to call, one of `testTools`. */
        tool: Type.Optional(Type.String({ maxLength: 200 })),
        /** In whose audit log the call is recorded. */
        tenant: Type.String({ maxLength: 100 }),
      },
      handle: async ({ person, request }, input) => {
        const tenant = await findTenant(input.tenant);
        if (!tenant) throw new GatewayError('not_found', 'There is no tenant with this name.');
        const caller = personCaller({ tenant, person });
        return testProviderKey(
          {
            name: input.name,
            tool: input.tool,
            value: input.value === undefined ? undefined : new Secret(input.value),
          },
          callContextOf(request, caller, 'plain', CLIENT_NAME),
        );
      },
    }),
  };
};

/** A key with the tools that need it. */
const describeKey = (catalog: ProviderKeyRoutesDeps['catalog'], state: ProviderKeyState) => ({
  name: state.name,
  origin: state.origin,
  isStored: state.isStored,
  changedAt: isoTimeOrNull(state.changedAtMs),
  changedBy: state.changedBy,
  changedByEmail: state.changedByEmail,
  servers: serversOf(catalog, state.name),
  /** Names of the tools with which the key can be tested, cheapest first. */
  testTools: testCallsOf(catalog, state.name).map(({ entry }) => entry.tool.name),
});
