import { addressBlock } from '../../access/limits/failure-limiter.ts';
import { chargeSource, type RateLimiter } from '../../access/limits/rate-limiter.ts';
import type { Form } from '../../access/oauth/client-authentication.ts';
import type { OAuthAddresses } from '../../access/oauth/oauth-addresses.ts';
import { OAuthError } from '../../access/oauth/oauth-error.ts';
import type { OAuthServer } from '../../access/oauth/oauth-server.ts';
import { connectCookies } from '../../access/oauth/sealed-request.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import { readJson } from '../json-rpc/read-json.ts';
import type { Route, RouteRequest, RouteResponse } from '../route.ts';
import { refusalPage } from './refusal-page.ts';

export interface OAuthRoutesDeps {
  readonly addresses: OAuthAddresses;
  /** Loads the authorization server. */
  readonly server: () => Promise<OAuthServer>;
  /** Requests of an address block. Hosts share the addresses from which they call. */
  readonly rateLimiter: RateLimiter;
}

/** Of a form or a registration. */
const MAX_BODY_BYTES = 16 * 1024;

const DOCUMENT = '/.well-known/oauth-authorization-server';
const RESOURCE_DOCUMENT = '/.well-known/oauth-protected-resource';

/** Paths that pages of every origin may call: hosts in browsers read documents and exchange codes. */
export const OAUTH_PATHS =
  /^\/(?:\.well-known\/oauth-[\w-]+(?:\/.*)?|(?:register|token|revoke)\/?)$/;

/** The addresses at which hosts sign in (docs/contract.md#sign-in-from-hosts). */
export function createOAuthRoutes(deps: OAuthRoutesDeps): Route[] {
  const { addresses } = deps;
  const server = limited(deps);
  return [
    ...createResourceRoutes(addresses),
    ...SUFFIXES.map((path) =>
      publicRoute('GET', `${DOCUMENT}${path}`, () => json(200, addresses.serverDocument())),
    ),
    server('GET', '/authorize', (oauth, request) => authorize(oauth, request, addresses)),
    server('POST', '/register', async (oauth, { body }) => {
      const registration = body === null ? {} : readJson(body);
      return json(201, oauth.register(isObject(registration) ? registration : {}));
    }),
    server('POST', '/token', async (oauth, request) =>
      json(200, await oauth.token(formIn(request), authorizationIn(request))),
    ),
    server('POST', '/revoke', async (oauth, request) => {
      await oauth.revoke(formIn(request), authorizationIn(request));
      return json(200, {});
    }),
  ];
}

const SUFFIXES = ['', '/mcp', '/mcp/sse'];

/** The documents that name the authorization server, which may be another one. */
export const createResourceRoutes = (addresses: OAuthAddresses): Route[] =>
  SUFFIXES.map((path) =>
    publicRoute('GET', `${RESOURCE_DOCUMENT}${path}`, ({ headers }) =>
      json(200, addresses.resourceDocument(path, headers['host']?.toString())),
    ),
  );

type Handle = (oauth: OAuthServer, request: RouteRequest) => Promise<RouteResponse>;

/** Routes of the authorization server, which is loaded with their first request. */
const limited = ({ rateLimiter, server }: OAuthRoutesDeps) => {
  const admit = ({ clientIp }: Pick<RouteRequest, 'clientIp'>): Promise<void> =>
    chargeSource(rateLimiter, addressBlock(clientIp));
  return (method: 'GET' | 'POST', path: string, handle: Handle): Route => ({
    ...publicRoute(method, path, async (request) => {
      try {
        if (method === 'GET') await admit(request);
        return await handle(await server(), request);
      } catch (error) {
        if (error instanceof OAuthError) return refusal(error, request, method);
        if (error instanceof GatewayError && error.row.retryable && isForPerson(request)) {
          return refusalPage(error, request.headers);
        }
        throw error;
      }
    }),
    // A person gets a page instead of what the hook would refuse with.
    ...(method === 'POST' && { bodies: bodiesOf(path), admit }),
  });
};

const isForPerson = ({ headers }: RouteRequest): boolean =>
  headers['accept']?.includes('text/html') ?? false;

const bodiesOf = (path: string): NonNullable<Route['bodies']> => ({
  [path === '/register' ? 'application/json' : 'application/x-www-form-urlencoded']: {
    maxBytes: MAX_BODY_BYTES,
    schema: { type: 'object' },
  },
});

const publicRoute = (method: 'GET' | 'POST', path: string, handle: Route['handle']): Route => ({
  method,
  path,
  access: 'public',
  operation: null,
  tag: 'OAuth',
  summary: 'Sign-in from hosts',
  responses: {},
  handle,
});

/** Leads to the consent page. What was asked for is in a cookie that only this gateway can read. */
async function authorize(
  oauth: OAuthServer,
  request: RouteRequest,
  { issuer }: OAuthAddresses,
): Promise<RouteResponse> {
  const result = await oauth.authorize(request.query);
  if ('error' in result) {
    const { error, location, isSentOn } = result;
    return isSentOn ? redirect(location) : refusal(error, request, 'GET', location);
  }
  const isSecure = issuer().startsWith('https:');
  return redirect(`/admin/connect/${result.id}`, connectCookies(result, isSecure));
}

const redirect = (location: string, cookies: readonly string[] = []): RouteResponse => ({
  status: 302,
  headers: {
    ...UNSTORED,
    location,
    'referrer-policy': 'no-referrer',
    ...(cookies.length > 0 && { 'set-cookie': [...cookies] }),
  },
  body: null,
});

const UNSTORED = { 'cache-control': 'no-store', pragma: 'no-cache' };

const json = (status: number, body: object): RouteResponse => ({ status, headers: UNSTORED, body });

function refusal(
  error: OAuthError,
  request: RouteRequest,
  method: 'GET' | 'POST',
  location?: string,
): RouteResponse {
  const { headers } = request;
  if (isForPerson(request)) return refusalPage(error, headers, location);
  const body = { error: error.oauthCode, error_description: error.message };
  if (method === 'GET' || error.oauthCode !== 'invalid_client') return json(400, body);
  const challenge = headers['authorization'] !== undefined && { 'www-authenticate': BASIC };
  return { status: 401, headers: { ...UNSTORED, ...challenge }, body };
}

/** Only for a client that has tried it (RFC 6749 section 5.2): a browser would ask a person for a password. */
const BASIC = 'Basic realm="Tool Gateway"';

/** Throws `invalid_request` for a member that is repeated (RFC 6749 section 3.2). */
function formIn({ body }: RouteRequest): Form {
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body?.toString() ?? '')) {
    // A host may name several resources (RFC 8707 section 2). Whatever it names, its token is for this gateway only.
    if (form.has(name) && name !== 'resource') {
      throw new OAuthError('invalid_request', 'A parameter is repeated.');
    }
    form.set(name, value);
  }
  return form;
}

const authorizationIn = ({ headers }: RouteRequest): string | undefined =>
  headers['authorization']?.toString();

/** Hosts show this text to people whose API key was refused. */
const NO_OAUTH =
  'This gateway takes an API key: send it as x-api-key or Authorization: Bearer. If you sent one, check it: it may be wrong, expired or revoked.';

/** The documents that hosts look for after a 401 (RFC 8414, OpenID Connect Discovery), also with a suffix. */
const SERVER_PROBES = [DOCUMENT, '/.well-known/openid-configuration'];

/**
 * The addresses that hosts try when a key is refused by a gateway without sign-in for hosts, or with another authorization
 * server, whose resource documents it has. They need no key, and are 404 for everyone in JSON: the sentence in `message`, and
 * in `error_description`, which OAuth clients show.
 */
export const createOAuthProbes = (hasResources = false): Route[] => [
  ...[...SERVER_PROBES, ...(hasResources ? [] : [RESOURCE_DOCUMENT])]
    .flatMap((path) => [path, `${path}/*`])
    .map((path) => publicRoute('GET', path, () => probeResponse('Not Found'))),
  // RFC 7591 section 3.2.2 wants an error code. Clients repeat the request after `invalid_client`.
  publicRoute('POST', '/register', () => probeResponse('access_denied')),
];

const probeResponse = (error: string): RouteResponse => ({
  status: 404,
  headers: { 'x-content-type-options': 'nosniff' },
  body: { error, message: NO_OAUTH, error_description: NO_OAUTH },
});
