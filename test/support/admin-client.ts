import type { JsonResponse, TestGateway } from './gateway.ts';

/** The first administrator of a test gateway that was started with `ADMIN_ENV`. */
export const ADMIN = { email: 'boss@example.com', password: 'a password for tests' };
export const ADMIN_ENV = { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password };

/** A browser's side of the dashboard: keeps cookies, and sends the origin of the gateway. */
export interface AdminClient {
  /** Sends a request below `/admin/api`, for example `ask('GET /me')`. */
  ask(
    route: string,
    body?: unknown,
    /** In place of the usual ones; undefined leaves one out. */
    headers?: Readonly<Record<string, string | undefined>>,
  ): Promise<JsonResponse>;
  /** Cookies by name. */
  readonly cookies: Map<string, string>;
}

export function createAdminClient(gateway: Pick<TestGateway, 'url'>): AdminClient {
  const cookies = new Map<string, string>();
  return {
    cookies,
    async ask(route, body, headers = {}) {
      const [method = '', path = ''] = route.split(' ');
      const isJson = body !== undefined && !(body instanceof FormData);
      const response = await fetch(`${gateway.url}/admin/api${path}`, {
        method,
        redirect: 'manual',
        headers: given({
          origin: gateway.url,
          'sec-fetch-site': 'same-origin',
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          'content-type': isJson ? 'application/json' : undefined,
          ...headers,
        }),
        ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : body }),
      });
      for (const cookie of response.headers.getSetCookie()) keep(cookies, cookie);
      return readResponse(response);
    },
  };
}

/** A whole response, whose body is text unless it is JSON. */
export async function readResponse(response: Response): Promise<JsonResponse> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text ? JSON.parse(text) : text,
  };
}

const given = (headers: Readonly<Record<string, string | undefined>>): [string, string][] =>
  Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined);

function keep(cookies: Map<string, string>, cookie: string): void {
  const [pair = '', ...attributes] = cookie.split('; ');
  const at = pair.indexOf('=');
  const name = pair.slice(0, at);
  if (attributes.includes('Max-Age=0')) cookies.delete(name);
  else cookies.set(name, pair.slice(at + 1));
}

/** A client whose person has signed in. */
export async function signIn(
  gateway: Pick<TestGateway, 'url'>,
  credentials: { email: string; password: string } = ADMIN,
): Promise<AdminClient> {
  const client = createAdminClient(gateway);
  const { status, body } = await client.ask('POST /session', credentials);
  if (status !== 200) throw new Error(`Sign-in failed: ${JSON.stringify(body)}`);
  return client;
}

/** Invites a person to a tenant, and lets it join. */
export async function inviteAndJoin(
  gateway: Pick<TestGateway, 'url'>,
  admin: AdminClient,
  { tenant, email, role }: { tenant: string; email: string; role: 'admin' | 'viewer' },
): Promise<AdminClient> {
  const invited = await admin.ask(`POST /tenants/${tenant}/invitations`, { email, role });
  const token = new URL(invited.body.link).searchParams.get('token');
  const client = createAdminClient(gateway);
  const joined = await client.ask('POST /join', {
    token,
    name: email,
    password: ADMIN.password,
  });
  if (joined.status !== 200) throw new Error(`Joining failed: ${JSON.stringify(joined.body)}`);
  return client;
}

/** The same for `viewer@example.com`, a viewer of `default`. */
export const joinAsViewer = (
  gateway: Pick<TestGateway, 'url'>,
  admin: AdminClient,
): Promise<AdminClient> =>
  inviteAndJoin(gateway, admin, {
    tenant: 'default',
    email: 'viewer@example.com',
    role: 'viewer',
  });
