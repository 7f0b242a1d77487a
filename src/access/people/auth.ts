import type { BetterAuthOptions } from 'better-auth';
import type { Logger } from 'pino';
import { runQuery } from '../../platform/database/database-error.ts';
import { newAccountId, newPersonId, newSessionId } from '../../platform/kernel/ids.ts';
import { lazily } from '../../platform/kernel/memo.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import type { SecretOwner } from '../../platform/vault/cipher.ts';
import { createSecretStore, newSharedSecret } from '../../platform/vault/secret-store.ts';
import type { Vault } from '../../platform/vault/vault.ts';
import { appendAdminEntry } from '../trail/admin-trail.ts';
import { type PeopleDeps, proveAddress } from './change-people.ts';
import { isInvited } from './find-person.ts';
import type { PersonClient } from './person.ts';
import { type SessionCookie, trimSessions } from './sessions.ts';

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
}

export interface AuthDeps extends PeopleDeps {
  readonly backend: 'embedded' | 'postgres';
  readonly vault: Vault;
  readonly baseUrl: string;
  readonly cookie: SessionCookie;
  readonly oidc: OidcSettings | undefined;
  readonly logger: Pick<Logger, 'debug'>;
}

/** What the gateway uses of better-auth: sessions in cookies, and sign-in with an identity provider. */
export type Auth = ReturnType<typeof toAuth>;

const OIDC_PROVIDER = 'oidc';

/** Path below which the identity provider sends the browser back: `<path>/callback/oidc`. */
const AUTH_PATH = '/admin/api/session';

/** The page that shows why a sign-in failed (`?error=`). */
const SIGN_IN_PAGE = '/admin/sign-in';

/** How long a session lasts without use. */
export const SESSION_SECONDS = 7 * 86_400;
/** Age at which a session that is used is prolonged. */
const PROLONG_SECONDS = 86_400;

/** Characters of a browser's name that are stored with its session. */
const MAX_USER_AGENT = 300;

/** The header in which better-auth gets the client address. It never sees a header of the request itself. */
const ADDRESS_HEADER = 'x-trusted-client-address';

/** Loads better-auth once, when it is first needed: it takes 0.4 s and 50 MB. */
export const createAuthLoader = (deps: AuthDeps): (() => Promise<Auth>) =>
  lazily(async () => toAuth(await openApi(deps), deps.cookie));

type AuthApi = Awaited<ReturnType<typeof openApi>>;

async function openApi(deps: AuthDeps) {
  const [secret, { betterAuth }, { createAuthEndpoint }, { setSessionCookie }] = await Promise.all([
    openSessionSecret(deps),
    import('better-auth'),
    import('better-auth/api'),
    import('better-auth/cookies'),
  ]);
  /** Without a path, it can be called only from here. */
  const startSession = createAuthEndpoint(
    {
      method: 'POST',
      requireHeaders: true,
      metadata: { $Infer: { body: {} as { personId: string } } },
    },
    async (context) => {
      const { internalAdapter } = context.context;
      const { personId } = context.body;
      const user = await internalAdapter.findUserById(personId);
      if (!user) return null;
      const session = await internalAdapter.createSession(personId);
      await setSessionCookie(context, { session, user });
      return { sessionId: session.id };
    },
  );
  const { api } = betterAuth({
    ...optionsOf(deps, secret),
    plugins: [{ id: 'people', endpoints: { startSession } }, ...(await oidcPlugins(deps))],
  });
  return api;
}

const toAuth = (api: AuthApi, cookie: SessionCookie) => ({
  /** The session of a `Cookie` header, prolonged if it is due. */
  async findSession(cookieHeader: string) {
    const headers = new Headers({ cookie: cookieHeader });
    const found = await api.getSession({ headers, returnHeaders: true });
    if (!found.response) return undefined;
    const { id, userId } = found.response.session;
    return { personId: userId, sessionId: id, cookies: found.headers.getSetCookie() };
  },
  /** Starts a new session. Its id never comes from the request. */
  async startSession(personId: string, client: PersonClient) {
    const { headers, response } = await api.startSession({
      body: { personId },
      headers: headersOf(client),
      returnHeaders: true,
    });
    if (!response) throw new Error('The person was deleted.');
    return { sessionId: response.sessionId, cookies: headers.getSetCookie() };
  },
  /** Where to send the browser to sign in with the identity provider. */
  async startOidc(returnTo: string) {
    const { headers, response } = await api.signInSocial({
      body: {
        provider: OIDC_PROVIDER,
        callbackURL: returnTo,
        errorCallbackURL: SIGN_IN_PAGE,
        disableRedirect: true,
      },
      headers: new Headers(),
      returnHeaders: true,
    });
    if (!response.url) throw new Error('The identity provider has no page to sign in.');
    return { url: response.url, cookies: headers.getSetCookie() };
  },
  /** Ends that sign-in: where to send the browser, and the session if it succeeded. */
  async finishOidc(
    query: Readonly<Record<string, string>>,
    client: PersonClient & { readonly cookieHeader: string | undefined },
  ) {
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
});

function headersOf({ clientIp, userAgent }: PersonClient): Headers {
  const headers = new Headers({ [ADDRESS_HEADER]: clientIp });
  if (userAgent) headers.set('user-agent', userAgent.slice(0, MAX_USER_AGENT));
  return headers;
}

/** The table and columns of a model of better-auth (`people_*` in migrations.ts). */
const tableOf = (modelName: string, ...members: string[]) => ({
  modelName,
  fields: Object.fromEntries(
    ['createdAt', 'updatedAt', ...members].map((member) => [
      member,
      member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    ]),
  ),
});

const TOKENS = ['accessToken', 'refreshToken', 'idToken'];
const EXPIRIES = ['accessTokenExpiresAt', 'refreshTokenExpiresAt'];

export const AUTH_TABLES = {
  user: tableOf('people_users', 'emailVerified'),
  session: tableOf('people_sessions', 'userId', 'expiresAt', 'ipAddress', 'userAgent'),
  account: tableOf('people_accounts', 'userId', 'accountId', 'providerId', ...TOKENS, ...EXPIRIES),
  verification: tableOf('people_verifications', 'expiresAt'),
};

function optionsOf(deps: AuthDeps, secret: Secret): BetterAuthOptions {
  const { db, clock, cookie, logger } = deps;
  return {
    baseURL: new URL(deps.baseUrl).origin,
    basePath: AUTH_PATH,
    secret: secret.reveal(),
    database: { db, type: deps.backend === 'postgres' ? 'postgres' : 'sqlite' },
    user: AUTH_TABLES.user,
    session: { ...AUTH_TABLES.session, expiresIn: SESSION_SECONDS, updateAge: PROLONG_SECONDS },
    // A stranger must not be able to fill the database.
    account: { ...AUTH_TABLES.account, encryptOAuthTokens: true, storeStateStrategy: 'cookie' },
    verification: AUTH_TABLES.verification,
    databaseHooks: {
      user: {
        create: {
          before: async ({ email, emailVerified }) =>
            emailVerified && isInvited(db, email, clock.now()),
          after: ({ id, email, name }) =>
            appendAdminEntry(db, {
              timestampMs: clock.now(),
              tenantId: null,
              actor: id,
              action: 'person.created',
              subjectId: id,
              details: { email, name, isOperator: false },
            }),
        },
      },
      session: { create: { after: ({ userId }) => trimSessions(db, userId) } },
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
      // The tables match migrations.ts; a test compares them.
      database: { generateId: ({ model }) => newIdOf(model), validateSchema: false },
    },
  };
}

function newIdOf(model: string): string {
  if (model === 'user') return newPersonId();
  return model === 'session' ? newSessionId() : newAccountId();
}

async function oidcPlugins(deps: AuthDeps) {
  const { oidc } = deps;
  if (!oidc) return [];
  const { genericOAuth } = await import('better-auth/plugins/generic-oauth');
  const config = {
    providerId: OIDC_PROVIDER,
    discoveryUrl: `${oidc.issuer}/.well-known/openid-configuration`,
    clientId: oidc.clientId,
    clientSecret: oidc.clientSecret.reveal(),
    scopes: ['openid', 'email', 'profile'],
    requireIdTokenVerification: true,
    pkce: true,
    // Called once the id token has been verified; the only hook before better-auth looks up the person.
    mapProfileToUser: async ({ email, emailVerified, name }: Record<string, unknown>) => {
      if (emailVerified === true && typeof email === 'string') {
        await proveAddress(deps, { email, name: typeof name === 'string' ? name : '' });
      }
      return {};
    },
  };
  return [genericOAuth({ config: [config] })];
}

const OWNER: SecretOwner = { tenantId: '', subjectId: 'people', field: 'session' };

/**
 * The secret that signs session cookies, the same for every process of this database. It is created once, and encrypted if
 * the vault has a key, so that a reader of the database cannot forge a cookie. Rejects with `missing_secret` if it
 * cannot be decrypted, and with `unavailable` while the database is away.
 */
const openSessionSecret = (deps: AuthDeps): Promise<Secret> =>
  deps.vault.keyId === null
    ? runQuery(() => ensurePlain(deps))
    : createSecretStore(deps).ensure(OWNER);

/** Without an encryption key, the database holds the secret as it holds the sessions themselves. */
async function ensurePlain({ db }: AuthDeps): Promise<Secret> {
  await db
    .insertInto('session_secrets')
    .values({ id: 1, secret: newSharedSecret().reveal() })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  const row = await db.selectFrom('session_secrets').select('secret').executeTakeFirstOrThrow();
  return new Secret(row.secret);
}
