import { Type } from 'typebox';
import type { ProviderKeyId } from '../../access/provider-keys/provider-key-store.ts';
import {
  createKeyViews,
  type KeyViewsDeps,
  TENANT_KEY,
} from '../../calls/provider-keys/key-views.ts';
import { PROVIDER_KEY_NAME } from '../../calls/provider-keys/operations.ts';
import { list } from '../../platform/input/schema.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { createDecodeInput } from '../json-rpc/decode-input.ts';
import { callerOf, type Route, type RouteRequest, type RouteResponse } from '../route.ts';
import { refusal } from './refusals.ts';

const PATH = '/api/v1/provider-keys/:name';
const NAME = { name: 'Name of the secret in `x-secret` of the preset.' };
const VALUE = Type.String({ description: 'What the provider issued. It is never shown.' });
const UNKNOWN = refusal(
  'No preset needs such a key; the message names the nearest. Or the API key has a list of allowed tools.',
);
const NO_STORE = { 'cache-control': 'no-store' };

/** The keys of providers that tenants bring (docs/contract.md#own-keys). */
export function createProviderKeyRoutes(deps: KeyViewsDeps): Route[] {
  const { providerKeys } = deps;
  const views = createKeyViews(deps);
  const decode = createDecodeInput('PUT', PATH, { name: PROVIDER_KEY_NAME, value: VALUE });
  return [
    route({
      method: 'GET',
      path: '/api/v1/provider-keys',
      operation: 'listProviderKeys',
      summary: 'Provider keys that calls of the tenant send',
      description: 'Without their values. `owner` says whose key it is.',
      responses: {
        200: {
          description: 'The keys that presets need.',
          schema: Type.Object({ providerKeys: list(TENANT_KEY) }),
        },
        404: refusal('The API key has a list of allowed tools.'),
      },
      handle: async (request) =>
        respond(200, {
          providerKeys: await views.listTenantKeys(tenantCallerOf(request).tenantId),
        }),
    }),
    route({
      method: 'GET',
      path: PATH,
      operation: 'getProviderKey',
      summary: 'One provider key',
      params: NAME,
      responses: { 200: { description: 'The key.', schema: TENANT_KEY }, 404: UNKNOWN },
      handle: async (request) => respond(200, await views.showTenantKey(idIn(request))),
    }),
    route({
      method: 'PUT',
      path: PATH,
      operation: 'setProviderKey',
      summary: 'Store an own provider key',
      description: "Calls of the tenant send it in place of the operator's.",
      params: NAME,
      body: {
        schema: Type.Object({ value: VALUE }, { additionalProperties: false }),
        examples: { key: { summary: 'A key', value: { value: 'what-the-provider-issued' } } },
      },
      responses: {
        200: { description: 'The key that was replaced.', schema: TENANT_KEY },
        201: { description: 'The key that was added.', schema: TENANT_KEY },
        400: refusal('The value is empty, too long, encoded twice, or has control characters.'),
        404: UNKNOWN,
        503: refusal('The gateway has no ENCRYPTION_KEY, or its database is away.'),
      },
      handle: async (request) => {
        const id = idIn(request);
        // A name is refused before its value.
        await views.showTenantKey(id);
        const value = new Secret(String(decode(request)['value']));
        const isNew = await providerKeys.set(id, value, callerOf(request).apiKeyId);
        return respond(isNew ? 201 : 200, await views.showTenantKey(id));
      },
    }),
    route({
      method: 'DELETE',
      path: PATH,
      operation: 'deleteProviderKey',
      summary: 'Remove an own provider key',
      description: "Calls of the tenant send the operator's again, if that is shared.",
      params: NAME,
      responses: { 204: { description: 'The key is removed.' }, 404: UNKNOWN },
      handle: async (request) => {
        await providerKeys.remove(idIn(request), callerOf(request).apiKeyId);
        return { status: 204, headers: NO_STORE, body: null };
      },
    }),
  ];
}

const idIn = (request: RouteRequest): ProviderKeyId => ({
  tenantId: tenantCallerOf(request).tenantId,
  name: request.params['name'] ?? '',
});

const route = (described: Omit<Route, 'access' | 'tag'>): Route => ({
  ...described,
  access: 'key',
  needsNoTools: true,
  tag: 'Provider keys',
});

const respond = (status: number, body: object): RouteResponse => ({
  ...{ status, headers: NO_STORE },
  body: Buffer.from(JSON.stringify(body)),
});

/** Throws `not_found` for a key with a list of allowed tools: provider keys serve tools that do not exist for it. */
function tenantCallerOf(request: RouteRequest): Caller {
  const caller = callerOf(request);
  if (caller.allowedTools === null) return caller;
  throw new GatewayError(
    'not_found',
    'An API key with a list of allowed tools has no provider keys. Use a key of the same tenant without such a list.',
  );
}
