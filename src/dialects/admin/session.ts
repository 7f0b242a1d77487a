import { Type } from 'typebox';
import type { People } from '../../access/people/people.ts';
import type { PersonClient } from '../../access/people/person.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { isoTime } from '../../platform/kernel/time.ts';
import type { RouteRequest } from '../route.ts';
import { AdminRedirect } from './admin-answers.ts';
import { personRoute, publicRoute } from './admin-route.ts';

/** Where a request comes from. */
export const clientOf = ({ clientIp, headers }: RouteRequest): PersonClient => ({
  clientIp,
  userAgent: headers['user-agent']?.toString(),
});

/** Signing in and out. */
export const createSessionRoutes = (people: People) => ({
  'GET /session': publicRoute({
    input: {},
    handle: ({ identity }) => ({ person: identity?.person ?? null, hasOidc: people.hasOidc }),
  }),
  'POST /session': publicRoute({
    input: {
      email: Type.String({ minLength: 1, maxLength: 254 }),
      password: Type.String({ minLength: 1, maxLength: 1000 }),
    },
    handle: async ({ request, setCookies }, { email, password }) => {
      const client = clientOf(request);
      const attempt = { ...client, email, password: new Secret(password) };
      const { identity, cookies } = await people.signIn(attempt);
      setCookies(cookies);
      return { person: identity.person };
    },
  }),
  'DELETE /session': personRoute({
    input: {},
    handle: async ({ identity, setCookies }) => setCookies(await people.signOut(identity)),
  }),
  ...createOidcRoutes(people),
});

/** Text that a provider may add to the address of its redirection. */
const GIVEN = Type.Optional(Type.String({ maxLength: 4096 }));

/** Signing in with the identity provider, by which the browser is redirected. */
const createOidcRoutes = (people: People) => ({
  'GET /session/oidc': publicRoute({
    input: { return_to: Type.Optional(Type.String({ maxLength: 2000 })) },
    handle: async ({ setCookies }, { return_to: returnTo }) => {
      const { url, cookies } = await people.startOidc(ownPath(returnTo));
      setCookies(cookies);
      return new AdminRedirect(url);
    },
  }),
  'GET /session/callback/oidc': publicRoute({
    allowsCrossSite: true,
    input: {
      code: GIVEN,
      state: GIVEN,
      iss: GIVEN,
      error: GIVEN,
      error_description: GIVEN,
      error_uri: GIVEN,
      session_state: GIVEN,
      scope: GIVEN,
      authuser: GIVEN,
      hd: GIVEN,
      prompt: GIVEN,
    },
    handle: async ({ request, setCookies }, { code, state, iss, error }) => {
      const query = Object.entries({ code, state, iss, error }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      );
      const { location, cookies } = await people.finishOidc(Object.fromEntries(query), {
        ...clientOf(request),
        cookieHeader: request.headers['cookie']?.toString(),
      });
      setCookies(cookies);
      return new AdminRedirect(ownPath(location));
    },
  }),
});

const TOKEN = Type.String({ minLength: 1, maxLength: 100 });

/** What the link of an invitation leads to. */
export const createJoinRoutes = (people: People) => ({
  'GET /join': publicRoute({
    input: { token: TOKEN },
    handle: async ({ identity }, { token }) => {
      const invitation = await people.invitation(new Secret(token));
      return {
        email: invitation.email,
        role: invitation.role,
        tenant: { slug: invitation.tenantSlug, name: invitation.tenantName },
        expiresAt: isoTime(invitation.expiresAtMs),
        isSignedIn: identity?.person.email === invitation.email,
        hasOidc: people.hasOidc,
      };
    },
  }),
  'POST /join': publicRoute({
    input: {
      token: TOKEN,
      name: Type.Optional(Type.String({ maxLength: 1000 })),
      password: Type.Optional(Type.String({ maxLength: 1000 })),
    },
    handle: async ({ identity, request, setCookies }, { token, name, password }) => {
      const joined = await people.join({
        ...clientOf(request),
        token: new Secret(token),
        name,
        password: password === undefined ? undefined : new Secret(password),
        identity,
      });
      setCookies(joined.cookies);
      return { person: joined.identity.person };
    },
  }),
});

const HOME = '/admin';

/**
 * The path if it is one of the dashboard, and the dashboard's start otherwise: a link to the gateway must not lead to
 * another site.
 */
export function ownPath(path: string | undefined): string {
  if (!path?.startsWith('/')) return HOME;
  const origin = 'https://gateway.invalid';
  if (!URL.canParse(path, origin)) return HOME;
  const url = new URL(path, origin);
  const isPage = url.pathname === HOME || url.pathname.startsWith(`${HOME}/`);
  if (url.origin !== origin || !isPage || url.pathname.startsWith(`${HOME}/api`)) return HOME;
  return `${url.pathname}${url.search}${url.hash}`;
}

/** Who is signed in, and what people change about themselves. */
export const createMeRoutes = (people: People) => ({
  'GET /me': personRoute({ input: {}, handle: ({ person }) => ({ person }) }),
  'PATCH /me': personRoute({
    input: { name: Type.String({ maxLength: 1000 }) },
    handle: ({ identity }, { name }) => people.rename(identity, name),
  }),
  'POST /me/password': personRoute({
    isProtective: true,
    input: {
      currentPassword: Type.String({ minLength: 1, maxLength: 1000 }),
      newPassword: Type.String({ maxLength: 1000 }),
      endsApps: Type.Boolean({ default: false }),
    },
    handle: async ({ identity, request, setCookies }, input) => {
      const { currentPassword, newPassword, endsApps } = input;
      const cookies = await people.changePassword(identity, {
        ...clientOf(request),
        currentPassword: new Secret(currentPassword),
        newPassword: new Secret(newPassword),
        endsApps,
      });
      setCookies(cookies);
    },
  }),
  'GET /me/sessions': personRoute({
    input: {},
    handle: async ({ identity }) => ({
      sessions: (await people.sessions(identity)).map((session) => ({
        id: session.id,
        isCurrent: session.id === identity.sessionId,
        clientIp: session.clientIp,
        userAgent: session.userAgent,
        createdAt: isoTime(session.createdAtMs),
        usedAt: isoTime(session.usedAtMs),
        expiresAt: isoTime(session.expiresAtMs),
      })),
    }),
  }),
  'DELETE /me/sessions': personRoute({
    isProtective: true,
    input: {},
    handle: async ({ identity }) => ({ ended: await people.endOtherSessions(identity) }),
  }),
  'DELETE /me/sessions/:session': personRoute({
    isProtective: true,
    input: { session: Type.String({ maxLength: 100 }) },
    handle: ({ identity }, { session }) => people.endSession(identity, session),
  }),
});
