import { addressBlock } from '../../access/limits/failure-limiter.ts';
import { chargeSource, type RateLimiter } from '../../access/limits/rate-limiter.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { createDecodeInput } from '../json-rpc/decode-input.ts';
import { documentBodies } from '../json-rpc/read-members.ts';
import type { RequestHeaders, Route, RouteRequest, RouteResponse, RouteStream } from '../route.ts';
import { sendFile } from '../send-file.ts';
import { AdminBytes, AdminFile, AdminRedirect } from './admin-answers.ts';
import { AdminEvents, sendEvents } from './admin-events.ts';
import type { AdminAccess, AdminRoute, AdminRoutes } from './admin-route.ts';
import { type Admitted, type AuthoriseDeps, authorise } from './authorise.ts';

export interface AdminDialectDeps extends AuthoriseDeps {
  /** Requests of a person, or of an address without one. */
  readonly rateLimiter: RateLimiter;
  /** Where the dashboard is; empty if no setting says so. */
  readonly ownOrigins: readonly string[];
}

/** Where the routes of the dashboard begin. */
const ADMIN_API = '/admin/api';

const MAX_BODY_BYTES = 64 * 1024;

// biome-ignore lint/suspicious/noExplicitAny: a route of any context, input and output.
type AnyRoute = AdminRoute<any, any, unknown>;

/** The routes of the dashboard, from their table (docs/contract.md#dashboard). */
export const createAdminDialect = (deps: AdminDialectDeps, table: AdminRoutes): Route[] =>
  Object.entries(table).map(([name, route]) => toRoute(deps, name, route));

function toRoute(deps: AdminDialectDeps, name: string, route: AnyRoute): Route {
  const [method = '', path = ''] = name.split(' ');
  const isWrite = method !== 'GET';
  const rule = { isWrite, allowsCrossSite: route.allowsCrossSite ?? false };
  const decode = createDecodeInput(method, path, route);
  const authorised = ({ headers, params }: RequestSigns): Promise<Admitted> =>
    authorise(deps, accessOf(name, route), {
      cookie: headers['cookie'],
      tenantSlug: params['tenant'],
    });
  return {
    method: method as Route['method'],
    path: `${ADMIN_API}${path}`,
    access: 'public',
    operation: null,
    summary: name,
    tag: 'Dashboard',
    responses: {},
    ...(isWrite ? { bodies: bodiesOf(route) } : {}),
    admit: async (request) => {
      assertOwnOrigin(request.headers, rule, deps.ownOrigins);
      const admitted = await authorised(request).catch(async (refusal: unknown) => {
        await chargeSource(deps.rateLimiter, addressBlock(request.clientIp));
        throw refusal;
      });
      const person = route.isProtective ? undefined : admitted.identity?.person.id;
      await chargeSource(deps.rateLimiter, person ?? addressBlock(request.clientIp));
      return admitted;
    },
    handle: async (request) => {
      const admitted = request.admitted as Admitted;
      const cookies = [...(admitted.identity?.cookies ?? [])];
      const input = decode(request);
      const output = await route.handle(contextOf(request, admitted, cookies), input);
      return respond(output, cookies, () => authorised(request));
    },
  };
}

/** Who may use a route here: what every key of a tenant may do, its viewers see and its admins change. */
export function accessOf(name: string, { access }: Pick<AnyRoute, 'access'>): AdminAccess {
  if (access !== 'key') return access;
  return name.startsWith('GET ') ? 'viewer' : 'admin';
}

type RequestSigns = Pick<RouteRequest, 'headers' | 'params' | 'clientIp'>;

const JSON_BODY = { schema: { type: 'object' } };

const bodiesOf = ({ maxDocumentBytes }: AnyRoute): NonNullable<Route['bodies']> =>
  maxDocumentBytes === undefined
    ? { 'application/json': { ...JSON_BODY, maxBytes: MAX_BODY_BYTES } }
    : documentBodies(JSON_BODY, maxDocumentBytes);

const contextOf = (
  request: RouteRequest,
  { identity, tenant, role }: Admitted,
  cookies: string[],
) => ({
  request,
  identity,
  person: identity?.person,
  actor: identity?.person,
  origin: request.headers['origin'],
  tenant,
  role,
  setCookies: (values: readonly string[]) => void cookies.push(...values),
});

function respond(
  output: unknown,
  cookies: string[],
  assertAdmitted: () => Promise<unknown>,
): RouteResponse | RouteStream {
  if (output instanceof AdminFile) return sendFile(output);
  if (output instanceof AdminEvents) return sendEvents(output, assertAdmitted);
  const headers = {
    'cache-control': 'no-store',
    ...(cookies.length > 0 ? { 'set-cookie': cookies } : {}),
  };
  if (output instanceof AdminBytes) return { status: 200, headers, body: output.body };
  if (output instanceof AdminRedirect) {
    return { status: 302, headers: { ...headers, location: output.location }, body: null };
  }
  return output === undefined
    ? { status: 204, headers, body: null }
    : { status: 200, headers, body: Buffer.from(JSON.stringify(output)) };
}

/** What the check of a request's origin needs to know of its route. */
interface OriginRule {
  readonly isWrite: boolean;
  readonly allowsCrossSite: boolean;
}

/**
 * Throws `forbidden` unless the request comes from a page of the dashboard itself. Pages of other ports of this machine are
 * strangers, although browsers call them the same site. A write needs `Origin`; `Sec-Fetch-Site` counts wherever it is sent,
 * which browsers do only on https and on this machine (W3C Fetch Metadata).
 * `ownOrigins` come from the settings; without any, the origin must be the origin of the `Host`.
 */
export function assertOwnOrigin(
  headers: RequestHeaders,
  { isWrite, allowsCrossSite }: OriginRule,
  ownOrigins: readonly string[],
): void {
  const { origin, host } = headers;
  if (origin === undefined ? isWrite : !isOwn(String(origin), String(host), ownOrigins)) {
    throw foreign(ownOrigins);
  }
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin') return;
  if (isWrite || !(site === 'none' || allowsCrossSite)) throw foreign(ownOrigins);
}

const isOwn = (origin: string, host: string, ownOrigins: readonly string[]): boolean =>
  ownOrigins.length > 0
    ? ownOrigins.includes(origin)
    : origin === `http://${host}` || origin === `https://${host}`;

const foreign = ([own]: readonly string[]): GatewayError =>
  new GatewayError(
    'forbidden',
    own
      ? `Only pages of the dashboard may do this. Open it at ${own}.`
      : 'Only pages of the dashboard may do this.',
  );
