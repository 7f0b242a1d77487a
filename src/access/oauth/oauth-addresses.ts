import { isLoopbackHost } from '../../platform/kernel/addresses.ts';

/** Where hosts sign in, and what their tokens are good for. */
const RESOURCES = ['/mcp', '/mcp/sse'];

/** The document that describes a resource (RFC 9728 section 3.1): the path of the resource follows. */
const RESOURCE_DOCUMENT = '/.well-known/oauth-protected-resource';

export interface OAuthAddressesDeps {
  /** BASE_URL; undefined for a gateway that only this machine reaches. */
  readonly baseUrl: string | undefined;
  /** Where it listens, for a gateway without BASE_URL. */
  readonly listensAt: () => string;
  /** Whether clients may register themselves. */
  readonly takesRegistrations: boolean;
  /** Whether a client may be known by a document that its site publishes. Hosts prefer it, and then try nothing else. */
  readonly takesDocuments: boolean;
  /** The authorization server, if it is not the gateway itself. */
  readonly externalIssuer: string | undefined;
}

export type OAuthAddresses = ReturnType<typeof createOAuthAddresses>;

/** The addresses of this gateway as hosts see them (docs/contract.md#sign-in-from-hosts). */
export function createOAuthAddresses(deps: OAuthAddressesDeps) {
  const { baseUrl, listensAt } = deps;
  const base = baseUrl?.replace(/\/+$/, '');
  const issuer = (): string => base ?? listensAt();
  /** Where a request arrived: this machine has several names. Other hosts are not repeated. */
  const ownBase = (host: string | undefined): string => {
    const isOther = base === undefined && host !== undefined && isLoopbackHost(host);
    return isOther && portOf(`http://${host}`) === portOf(issuer()) ? `http://${host}` : issuer();
  };
  return {
    issuer,
    /** The parameters of the challenge at this path (RFC 9728 section 5.1). */
    challengeFor: (path: string, host: string | undefined): string =>
      [
        `resource_metadata="${ownBase(host)}${RESOURCE_DOCUMENT}${path}"`,
        // Another server may not know the scope, and needs none.
        ...(deps.externalIssuer === undefined ? [`scope="${SCOPE}"`] : []),
      ].join(', '),
    /** RFC 9728 section 2. `path` is the path of the resource; by default, of MCP. */
    resourceDocument: (path: string, host: string | undefined) => ({
      resource: `${ownBase(host)}${path || '/mcp'}`,
      authorization_servers: [deps.externalIssuer ?? issuer()],
      ...(deps.externalIssuer === undefined && { scopes_supported: [SCOPE] }),
      bearer_methods_supported: ['header'],
      resource_name: 'Tool Gateway',
      resource_documentation: `${issuer()}/docs/`,
    }),
    /** RFC 8414 section 2. */
    serverDocument: () => ({
      issuer: issuer(),
      authorization_endpoint: `${issuer()}/authorize`,
      token_endpoint: `${issuer()}/token`,
      ...(deps.takesRegistrations && { registration_endpoint: `${issuer()}/register` }),
      revocation_endpoint: `${issuer()}/revoke`,
      scopes_supported: [SCOPE],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: METHODS,
      token_endpoint_auth_signing_alg_values_supported: ALGORITHMS,
      revocation_endpoint_auth_methods_supported: METHODS,
      client_id_metadata_document_supported: deps.takesDocuments,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      service_documentation: `${issuer()}/docs/`,
    }),
    /** Whether a token for this resource would be for this gateway. Hosts add slashes and queries. */
    isOwnResource: (text: string): boolean => {
      const url = URL.parse(text);
      if (!url) return false;
      const own = ownBase(url.host);
      const rest = `${url.origin}${url.pathname}`.replace(/\/+$/, '');
      return rest === own || RESOURCES.some((path) => rest === `${own}${path}`);
    },
  };
}

const METHODS = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'];

const portOf = (url: string): string | undefined => URL.parse(url)?.port;

/** Where an authorization server describes itself (RFC 8414 section 3, OpenID Connect Discovery section 4). */
export function serverDocumentsOf(issuer: string): { oauth: string; openId: string } {
  const base = issuer.replace(/\/$/, '');
  const { origin, pathname } = new URL(base);
  const path = pathname === '/' ? '' : pathname;
  return {
    oauth: `${origin}/.well-known/oauth-authorization-server${path}`,
    openId: `${base}/.well-known/openid-configuration`,
  };
}

/** The only scope: what it allows is chosen by the person. */
export const SCOPE = 'tools:call';

/** Signatures that only the holder of a private key can make. */
export const ALGORITHMS: readonly string[] = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
