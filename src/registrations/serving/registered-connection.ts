import { GatewayError } from '../../platform/kernel/error.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import type { Tool } from '../../tools/model.ts';
import type { RequestSender, ToolConnection } from '../../tools/tool-connection.ts';
import type { AccessTokens } from '../../upstreams/oauth/access-tokens.ts';
import { createOauthClient } from '../../upstreams/oauth/oauth-client.ts';
import type { Credentials } from '../request/registration-request.ts';
import { REGISTERED_SECRET } from '../steps/credential-binding.ts';
import type { RegistrationRecord } from '../store/registration-record.ts';

export interface ConnectionDeps {
  /** The guarded client. */
  readonly client: RequestSender;
  readonly tokens: AccessTokens;
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
  const { id, credentialVersion } = registration;
  const cacheIdentity = `${id}:${credentialVersion}`;
  const credential = shownCredential(credentials);
  return {
    cacheIdentity,
    secrets: (name) => (name === REGISTERED_SECRET ? credential : undefined),
    sender: senderFor(deps, registration, cacheIdentity, credentials),
  };
}

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
