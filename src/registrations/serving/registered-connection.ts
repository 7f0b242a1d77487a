import type { MaySend, ProviderKey } from '../../access/provider-keys/provider-keys.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { memoizeLast } from '../../platform/kernel/memo.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import type { Tool } from '../../tools/model.ts';
import type { RequestSender, ToolConnection } from '../../tools/tool-connection.ts';
import type { AccessTokens } from '../../upstreams/oauth/access-tokens.ts';
import { createOauthClient } from '../../upstreams/oauth/oauth-client.ts';
import type { Credentials } from '../request/registration-request.ts';
import { REGISTERED_SECRET } from '../steps/origins.ts';
import type { RegistrationRecord } from '../store/registration-record.ts';

export interface ConnectionDeps {
  /** The guarded client. */
  readonly client: RequestSender;
  readonly tokens: AccessTokens;
  /** The provider key that a tenant has stored under this name. Never the operator's. */
  readonly keyOf: (tenantId: string, name: string) => ProviderKey | undefined;
  readonly maySend: MaySend;
}

/** A registration, as far as its connection depends on it. */
export type ConnectedRegistration = Pick<
  RegistrationRecord,
  'id' | 'tenantId' | 'scheme' | 'credentialVersion' | 'origins'
>;

/** How a registration's tools are reached with these credentials. */
export type Connect = (
  registration: ConnectedRegistration,
  credentials: Credentials,
  tools: readonly Tool[],
) => ToolConnection;

/**
 * How calls of a registration's tools reach its API: through the guarded client, with the credential as it was stored last.
 * Responses that another credential got are not found again. Without the credentials that its scheme needs, calls fail with
 * `missing_secret`.
 */
export function connectRegistration(
  deps: ConnectionDeps,
  registration: ConnectedRegistration,
  credentials: Credentials,
): ToolConnection {
  const { id, credentialVersion, scheme } = registration;
  if (scheme.type === 'provider_key') return connectProviderKey(deps, registration, scheme.name);
  const cacheIdentity = `${id}:${credentialVersion}`;
  const credential = shownCredential(credentials);
  return {
    cacheIdentity,
    secrets: (name) => (name === REGISTERED_SECRET ? credential : undefined),
    sender: senderFor(deps, registration, cacheIdentity, credentials),
  };
}

/** Sends the tenant's key of a provider as it is when a call begins, if it may go to all origins of the API. */
function connectProviderKey(
  { client: sender, keyOf, maySend }: ConnectionDeps,
  { id, tenantId, credentialVersion, origins }: ConnectedRegistration,
  name: string,
): ToolConnection {
  const identity = `${id}:${credentialVersion}`;
  const connect = memoizeLast(({ secret, fingerprint }: NonNullable<ProviderKey['value']>) => {
    const keyInUse = { name, tenantId, fingerprint };
    return {
      cacheIdentity: `${identity} ${fingerprint}`,
      secrets: (of: string) => (of === REGISTERED_SECRET ? secret : undefined),
      keyInUse: () => keyInUse,
      sender,
    };
  });
  const refuse = (refusal: string): ToolConnection => ({
    ...{ cacheIdentity: `${identity} `, sender, refusal },
    secrets: () => undefined,
    keyInUse: () => undefined,
  });
  const current = (): ToolConnection => {
    const key = keyOf(tenantId, name);
    if (!key?.value) return refuse(key ? unreadable(name) : notStored(name));
    const withheldFrom = origins.find((origin) => !maySend(key, origin));
    return withheldFrom ? refuse(notAllowed(name, withheldFrom)) : connect(key.value);
  };
  return { ...current(), current };
}

const unreadable = (name: string): string =>
  `The key of your tenant for ${name} cannot be decrypted. Store it again: PUT /api/v1/provider-keys/${name}.`;

const notStored = (name: string): string =>
  `Your tenant has no key for ${name}. Store one: PUT /api/v1/provider-keys/${name} with {"value": "..."}.`;

const notAllowed = (name: string, origin: string): string =>
  `The key of your tenant for ${name} is not sent to ${origin}, to which no preset sends it. If it may go there, an admin of the tenant must allow that origin: on the dashboard under Your provider keys, or with POST /api/v1/admin/tenants/_/provider-keys/${name}/origins.`;

/** What the tools' parameter is filled with; it is encoded for HTTP Basic when it is written. */
function shownCredential({ token, username, password }: Credentials): Secret | undefined {
  if (username === undefined) return token;
  return new Secret(`${username.reveal()}:${password?.reveal() ?? ''}`);
}

function senderFor(
  { client, tokens }: ConnectionDeps,
  { tenantId, scheme, origins }: ConnectedRegistration,
  version: string,
  { client_secret: clientSecret }: Credentials,
): RequestSender {
  if (scheme.type !== 'oauth2_client_credentials') return client;
  if (!clientSecret) return NO_CREDENTIAL;
  const { tokenUrl, clientId, scope } = scheme;
  const credential = { version, tenantId, tokenUrl, clientId, clientSecret, scope };
  return createOauthClient({ client, tokens, credential, origins: new Set(origins) });
}

const NO_CREDENTIAL: RequestSender = {
  send: () => Promise.reject(new GatewayError('missing_secret')),
};
