import { Type } from 'typebox';
import type { Tenant } from '../../access/tenants/tenant-store.ts';
import { PROVIDER_KEY_NAME, PROVIDER_KEY_VALUE } from '../../calls/provider-keys/operations.ts';
import type { TestProviderKey } from '../../calls/provider-keys/test-provider-key.ts';
import { actorCaller } from '../../platform/input/operation.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { callContextOf } from '../json-rpc/call-context.ts';
import { operatorRoute } from './admin-route.ts';

export interface ProviderKeyRoutesDeps {
  readonly testProviderKey: TestProviderKey;
  readonly findTenant: (slug: string) => Promise<Tenant | undefined>;
}

/** What the audit log has as the client, as for every call that a person makes here. */
const CLIENT_NAME = 'Dashboard';

/** The test of a provider key, for operators: no operation, since it calls an upstream. */
export const createProviderKeyRoutes = ({
  testProviderKey,
  findTenant,
}: ProviderKeyRoutesDeps) => ({
  'POST /provider-keys/:name/test': operatorRoute({
    input: {
      name: PROVIDER_KEY_NAME,
      /** A value to test before it is stored. */
      value: Type.Optional(PROVIDER_KEY_VALUE),
      /** The tool to call, one of `testTools`. */
      tool: Type.Optional(Type.String({ maxLength: 200 })),
      /** In whose audit log the call is recorded. */
      tenant: Type.String({ maxLength: 100 }),
    },
    handle: async ({ actor, request }, input) => {
      const tenant = await findTenant(input.tenant);
      if (!tenant) throw new GatewayError('not_found', 'There is no tenant with this name.');
      return testProviderKey(
        {
          name: input.name,
          tool: input.tool,
          value: input.value === undefined ? undefined : new Secret(input.value),
        },
        callContextOf(request, actorCaller({ tenant, actor }), 'plain', CLIENT_NAME),
      );
    },
  }),
});
