import { createHash } from 'node:crypto';
import { addressBlock } from '../../access/limits/failure-limiter.ts';
import { chargeSource, type RateLimiter } from '../../access/limits/rate-limiter.ts';
import type { Form } from '../../access/oauth/client-authentication.ts';
import type { OAuthAddresses } from '../../access/oauth/oauth-addresses.ts';
import { OAuthError } from '../../access/oauth/oauth-error.ts';
import type { OAuthServer } from '../../access/oauth/oauth-server.ts';
import { describeRedirect } from '../../access/oauth/redirects.ts';
import { connectCookies } from '../../access/oauth/sealed-request.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import { readJson } from '../json-rpc/read-json.ts';
import type { Route, RouteRequest, RouteResponse } from '../route.ts';

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
const limited =
  ({ rateLimiter, server }: OAuthRoutesDeps) =>
  (method: 'GET' | 'POST', path: string, handle: Handle): Route => ({
    ...publicRoute(method, path, async (request) => {
      try {
        return await handle(await server(), request);
      } catch (error) {
        if (error instanceof OAuthError) return refusal(error, request, method);
        throw error;
      }
    }),
    ...(method === 'POST' && { bodies: bodiesOf(path) }),
    admit: ({ clientIp }) => chargeSource(rateLimiter, addressBlock(clientIp)),
  });

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
  { headers }: RouteRequest,
  method: 'GET' | 'POST',
  location?: string,
): RouteResponse {
  if (headers['accept']?.includes('text/html')) return refusalPage(error, location);
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

const STYLE =
  'body{font:16px/1.6 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1.5rem;color-scheme:light dark}';

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * A request that is refused, as a page for the person whose browser it came with: without a script, and of the request only
 * the address that the client has registered, as a link.
 */
const refusalPage = (error: OAuthError, location?: string): RouteResponse => ({
  status: 400,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'`,
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  },
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Tool Gateway</title><style>${STYLE}</style>
<h1>This program cannot be connected</h1>
<p>The program sent a request that the gateway does not accept, so nothing was shared with it. Remove the gateway from the program and add it again. If that does not help, show this page to the operator of the gateway.</p>
<p><code>${error.oauthCode}</code>: ${error.message}</p>
<p lang="ko">이 프로그램의 요청이 올바르지 않아 연결할 수 없습니다. 아무 정보도 전달되지 않았습니다. 프로그램에서 게이트웨이를 제거한 뒤 다시 추가해 보세요.</p>${location === undefined ? '' : wayBack(location)}</html>
`,
});

/** Where the person may go, who sees where that is. */
function wayBack(location: string): string {
  const { host } = describeRedirect(location);
  return `
<p>Follow this link only if you have just started to connect a program. The gateway does not know who is behind it: <a rel="noreferrer" href="${escapeHtml(location)}">back to <code>${escapeHtml(host)}</code></a></p>
<p lang="ko">방금 프로그램 연결을 직접 시작한 경우에만 위 링크를 따라가세요. 게이트웨이는 링크 뒤에 누가 있는지 알지 못합니다.</p>`;
}

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
