import type { BetterAuthOptions } from 'better-auth';
import { newAccountId, newPersonId, newSessionId } from '../../platform/kernel/ids.ts';
import {
  AUTH_PATH,
  type Auth,
  type AuthDeps,
  type FoundSession,
  OIDC_PROVIDER,
  SIGN_IN_PAGE,
} from './auth.ts';
import { AUTH_TABLES } from './auth-tables.ts';
import type { PersonClient } from './person.ts';
import { trimSessions } from './person-sessions.ts';

/** How long a session lasts without use. */
export const SESSION_SECONDS = 7 * 86_400;
/** Age at which a session that is used is prolonged. */
const PROLONG_SECONDS = 86_400;

/** The header in which better-auth gets the client address. It never sees a header of the request itself. */
const ADDRESS_HEADER = 'x-trusted-client-address';

/** Loads better-auth, which takes 0.4 s and 50 MB. */
export async function loadAuth(deps: AuthDeps): Promise<Auth> {
  const [{ betterAuth }, { createAuthEndpoint }, { setSessionCookie }] = await Promise.all([
    import('better-auth'),
    import('better-auth/api'),
    import('better-auth/cookies'),
  ]);
  /** Without a path, it can be called only from here. */
  const startSession = createAuthEndpoint(
    { method: 'POST', requireHeaders: true },
    async (context) => {
      const { internalAdapter } = context.context;
      const { personId } = context.body as { personId: string };
      const user = await internalAdapter.findUserById(personId);
      if (!user) return null;
      const session = await internalAdapter.createSession(personId);
      await setSessionCookie(context, { session, user });
      return { sessionId: session.id };
    },
  );
  const auth = betterAuth({
    ...optionsOf(deps),
    plugins: [{ id: 'people', endpoints: { startSession } }, ...(await oidcPlugins(deps))],
  });
  return toAuth(auth.api as unknown as AuthApi, deps);
}

/** The part of better-auth's interface that is used: its own types depend on every option and plugin. */
interface AuthApi {
  getSession(call: { headers: Headers; returnHeaders: true }): Promise<{
    headers: Headers;
    response: { session: { id: string; userId: string } } | null;
  }>;
  startSession(call: {
    body: { personId: string };
    headers: Headers;
    returnHeaders: true;
  }): Promise<{ headers: Headers; response: { sessionId: string } | null }>;
  signInSocial(call: {
    body: {
      provider: string;
      callbackURL: string;
      errorCallbackURL: string;
      disableRedirect: true;
    };
    headers: Headers;
    returnHeaders: true;
  }): Promise<{ headers: Headers; response: { url: string } }>;
  callbackOAuth(call: {
    method: 'GET';
    params: { id: string };
    query: Readonly<Record<string, string>>;
    headers: Headers;
    asResponse: true;
  }): Promise<Response>;
}

function toAuth(api: AuthApi, { cookie }: AuthDeps): Auth {
  return {
    async findSession(cookieHeader) {
      const headers = new Headers({ cookie: cookieHeader });
      const found = await api.getSession({ headers, returnHeaders: true });
      if (!found.response) return undefined;
      const { id, userId } = found.response.session;
      return { personId: userId, sessionId: id, cookies: found.headers.getSetCookie() };
    },
    async startSession(personId, client): Promise<FoundSession> {
      const { headers, response } = await api.startSession({
        body: { personId },
        headers: headersOf(client),
        returnHeaders: true,
      });
      if (!response) throw new Error('The person was deleted.');
      return { personId, sessionId: response.sessionId, cookies: headers.getSetCookie() };
    },
    async startOidc(returnTo, errorAt) {
      const { headers, response } = await api.signInSocial({
        body: {
          provider: OIDC_PROVIDER,
          callbackURL: returnTo,
          errorCallbackURL: errorAt,
          disableRedirect: true,
        },
        headers: new Headers(),
        returnHeaders: true,
      });
      return { url: response.url, cookies: headers.getSetCookie() };
    },
    async finishOidc(query, client) {
      const headers = headersOf(client);
      if (client.cookieHeader) headers.set('cookie', client.cookieHeader);
      const { headers: sent } = await api.callbackOAuth({
        method: 'GET',
        params: { id: OIDC_PROVIDER },
        query,
        headers,
        asResponse: true,
      });
      const cookies = sent.getSetCookie();
      const isSignedIn = cookies.some((each) => each.startsWith(`${cookie.name}=`));
      return { location: sent.get('location') ?? '', cookies, isSignedIn };
    },
  };
}

function headersOf({ clientIp, userAgent }: PersonClient): Headers {
  const headers = new Headers({ [ADDRESS_HEADER]: clientIp });
  if (userAgent) headers.set('user-agent', userAgent.slice(0, MAX_USER_AGENT));
  return headers;
}

/** Characters of a browser's name that are stored with its session. */
export const MAX_USER_AGENT = 300;

function optionsOf(deps: AuthDeps): BetterAuthOptions {
  const { cookie, logger } = deps;
  return {
    baseURL: new URL(deps.baseUrl).origin,
    basePath: AUTH_PATH,
    secret: deps.secret.reveal(),
    database: { db: deps.db, type: deps.backend === 'postgres' ? 'postgres' : 'sqlite' },
    user: AUTH_TABLES.user,
    session: {
      ...AUTH_TABLES.session,
      expiresIn: SESSION_SECONDS,
      updateAge: PROLONG_SECONDS,
    },
    account: {
      ...AUTH_TABLES.account,
      encryptOAuthTokens: true,
      // A stranger must not be able to fill the database.
      storeStateStrategy: 'cookie',
    },
    verification: AUTH_TABLES.verification,
    databaseHooks: {
      user: {
        create: {
          before: async ({ email, emailVerified }) => emailVerified && deps.mayCreate(email),
          after: (user) => deps.onCreated(user),
        },
      },
      session: { create: { after: ({ userId }) => trimSessions(deps.db, userId) } },
    },
    onAPIError: { errorURL: SIGN_IN_PAGE },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: {
      level: 'error',
      // Its messages may quote what the identity provider sent.
      log: (_level, message) => logger.debug({ message }, 'better-auth'),
    },
    advanced: {
      useSecureCookies: false,
      cookiePrefix: `${cookie.isSecure ? '__Host-' : ''}tool_gateway`,
      cookies: { session_token: { name: cookie.name } },
      defaultCookieAttributes: { secure: cookie.isSecure },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      // The tables are those of migration 0012-people; a test compares them.
      database: { generateId: ({ model }) => newIdOf(model), validateSchema: false },
    },
  };
}

function newIdOf(model: string): string {
  if (model === 'user') return newPersonId();
  return model === 'session' ? newSessionId() : newAccountId();
}

async function oidcPlugins({ oidc, onProved }: AuthDeps) {
  if (!oidc) return [];
  const { genericOAuth } = await import('better-auth/plugins/generic-oauth');
  return [
    genericOAuth({
      config: [
        {
          providerId: OIDC_PROVIDER,
          discoveryUrl: `${oidc.issuer}/.well-known/openid-configuration`,
          clientId: oidc.clientId,
          clientSecret: oidc.clientSecret.reveal(),
          scopes: ['openid', 'email', 'profile'],
          requireIdTokenVerification: true,
          pkce: true,
          // Called once the id token has been verified; the only hook before better-auth looks up the person.
          mapProfileToUser: async ({ email, emailVerified, name }) => {
            if (emailVerified === true && typeof email === 'string') {
              await onProved({ email, name: typeof name === 'string' ? name : '' });
            }
            return {};
          },
        },
      ],
    }),
  ];
}
