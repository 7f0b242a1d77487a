import type { Route, RouteResponse } from '../route.ts';

/** Hosts show this text to people whose API key was refused. */
const NO_OAUTH =
  'This gateway takes an API key: send it as x-api-key or Authorization: Bearer. If you sent one, check it: it may be wrong, expired or revoked.';

/** The documents that hosts look for after a 401 (RFC 8414, RFC 9728, OpenID Connect Discovery), also with a suffix. */
const DOCUMENTS = [
  'oauth-authorization-server',
  'oauth-protected-resource',
  'openid-configuration',
].flatMap((name) => [`/.well-known/${name}`, `/.well-known/${name}/*`]);

/**
 * The addresses that hosts try when a key is refused (docs/contract.md#authentication). They need no key, and are 404 for
 * everyone in JSON: the sentence in `message`, and in `error_description`, which OAuth clients show.
 */
export const createOAuthProbes = (): Route[] => [
  ...DOCUMENTS.map((path) => probe('GET', path, 'Not Found')),
  // RFC 7591 section 3.2.2 wants an error code. Clients repeat the request after `invalid_client`.
  probe('POST', '/register', 'access_denied'),
];

function probe(method: 'GET' | 'POST', path: string, error: string): Route {
  const response: RouteResponse = {
    status: 404,
    headers: { 'x-content-type-options': 'nosniff' },
    body: { error, message: NO_OAUTH, error_description: NO_OAUTH },
  };
  return {
    method,
    path,
    access: 'public',
    operation: null,
    tag: 'OAuth',
    summary: 'Probe of a host that looks for OAuth',
    responses: {},
    handle: () => response,
  };
}
