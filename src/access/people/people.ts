import { runQuery } from '../../platform/database/database-error.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import { createTenantStore, type Tenant } from '../tenants/tenant-store.ts';
import { type Auth, type AuthDeps, createAuthLoader } from './auth.ts';
import * as directory from './directory.ts';
import { findPerson } from './find-person.ts';
import * as invitations from './invitations.ts';
import * as members from './members.ts';
import { createPasswordHasher } from './passwords.ts';
import type { Identity, PersonClient } from './person.ts';
import * as sessions from './sessions.ts';
import { changePassword, createSignInLimits, type SignInLimitsDeps, signIn } from './sign-in.ts';
import { createTenant, listTenants, renameTenant } from './tenant-directory.ts';

/** Cookies are secure if `baseUrl`, where browsers reach the dashboard, is https. */
export type AllPeopleDeps = Omit<AuthDeps, 'cookie' | 'onChanged'> & SignInLimitsDeps;

/** Who may sign in to the dashboard, and what belongs to whom. */
export type People = ReturnType<typeof createPeople>;

/** Every function rejects with `unavailable` while the database is away. */
export function createPeople(deps: AllPeopleDeps) {
  const { db, clock, securityLog } = deps;
  const cookie = sessions.sessionCookieFor(deps.baseUrl);
  const known = sessions.createKnownSessions(cookie, async (cookieHeader) => {
    const { findSession } = await auth();
    const session = await runQuery(() => findSession(cookieHeader));
    const person = session && (await runQuery(() => findPerson(db, session.personId)));
    return person && { person, sessionId: session.sessionId, cookies: session.cookies };
  });
  const stores = { db, clock, hasher: createPasswordHasher(), onChanged: known.forget };
  const auth = createAuthLoader({ ...deps, ...stores, cookie });
  const signingIn = { ...stores, limits: createSignInLimits(deps), auth, securityLog };

  return {
    /** The person of a `Cookie` header. A change takes effect within a second, in whichever process it was made. */
    identify: known.identify,
    signIn: signIn.bind(null, signingIn),
    join: invitations.join.bind(null, signingIn),
    changePassword: changePassword.bind(null, signingIn),
    rename: ({ person }: Identity, name: string) => directory.rename(stores, person.id, name),
    /** Ends a session. Its cookie is removed from the browser, too. */
    signOut: async (identity: Identity): Promise<readonly string[]> => {
      await runQuery(() =>
        db.deleteFrom('people_sessions').where('id', '=', identity.sessionId).execute(),
      );
      known.forget();
      securityLog.record('signed_out', { person: identity.person.id }, identity.person.id);
      return [sessions.expiredCookie(cookie)];
    },
    sessions: sessions.listSessions.bind(null, stores),
    endSession: sessions.endSession.bind(null, stores),
    endOtherSessions: sessions.endOtherSessions.bind(null, stores),
    invitation: (token: Secret) =>
      runQuery(() => invitations.openInvitation(db, token, clock.now())),
    createFirstAdministrator: directory.createFirstAdministrator.bind(null, stores),
    ...createDirectory(stores),
    hasOidc: deps.oidc !== undefined,
    ...createOidc(deps, auth),
  };
}

export type Directory = ReturnType<typeof createDirectory>;

/** Who belongs to what. It needs only the database, so that commands have it, too. */
export const createDirectory = (stores: directory.DirectoryDeps) => ({
  members: members.listMembers.bind(null, stores),
  changeRole: members.changeRole.bind(null, stores),
  removeMember: members.removeMember.bind(null, stores),
  invite: invitations.createInvitation.bind(null, stores),
  invitations: invitations.listInvitations.bind(null, stores),
  withdrawInvitation: invitations.withdrawInvitation.bind(null, stores),
  restoreInvitation: invitations.restoreInvitation.bind(null, stores),
  list: directory.listPeople.bind(null, stores),
  create: directory.createPerson.bind(null, stores),
  resetPassword: directory.resetPassword.bind(null, stores),
  setOperator: directory.setOperator.bind(null, stores),
  tenants: listTenants.bind(null, stores),
  createTenant: createTenant.bind(null, stores),
  /** Rejects with `not_found`. */
  requireTenant: async (slug: string): Promise<Tenant> => {
    const tenant = await createTenantStore(stores).findBySlug(slug);
    if (tenant) return tenant;
    throw new GatewayError('not_found', `There is no tenant ${JSON.stringify(slug)}.`);
  },
  renameTenant: renameTenant.bind(null, stores),
});

/** Sign-in with the identity provider, if configured. */
function createOidc({ oidc, securityLog }: AllPeopleDeps, auth: () => Promise<Auth>) {
  const configured = async (): Promise<Auth> => {
    if (oidc) return auth();
    throw new GatewayError('not_found', 'This gateway has no identity provider.');
  };
  return {
    /** Where to send the browser. `returnTo` is a path of the dashboard. */
    startOidc: async (returnTo: string) => {
      const loaded = await configured();
      try {
        return await loaded.startOidc(returnTo);
      } catch (cause) {
        throw new GatewayError('unavailable', 'The identity provider is unavailable.', { cause });
      }
    },
    /** Where to send the browser after it. */
    finishOidc: async (
      query: Readonly<Record<string, string>>,
      client: PersonClient & { readonly cookieHeader: string | undefined },
    ) => {
      const finished = await (await configured()).finishOidc(query, client);
      securityLog.record(
        finished.isSignedIn ? 'signed_in' : 'sign_in_failed',
        { by: 'oidc', address: client.clientIp },
        client.clientIp,
      );
      return finished;
    },
  };
}
