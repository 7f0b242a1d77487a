import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import type { Vault } from '../../platform/vault/vault.ts';
import type { LimiterOptions } from '../limits/rate-limiter.ts';
import { appendAdminEntry } from '../trail/admin-trail.ts';
import type { SecurityLog } from '../trail/security-log.ts';
import type { Auth, AuthDeps, OidcSettings } from './auth.ts';
import type { PeopleDeps } from './change-people.ts';
import * as directory from './directory.ts';
import { findPerson } from './find-person.ts';
import { createFirstAdministrator } from './first-administrator.ts';
import * as invitations from './invitations.ts';
import { join } from './join.ts';
import { createKnownSessions } from './known-sessions.ts';
import * as members from './members.ts';
import { changePassword, rename } from './own-account.ts';
import { createPasswordHasher } from './password-hasher.ts';
import type { Identity, PersonClient } from './person.ts';
import { endOtherSessions, endSession, listSessions } from './person-sessions.ts';
import { expiredCookie, type SessionCookie, sessionCookieFor } from './session-cookie.ts';
import { openSessionSecret } from './session-secret.ts';
import { signIn } from './sign-in.ts';
import { createSignInLimits } from './sign-in-limits.ts';
import { createTenant, listTenants, renameTenant } from './tenant-directory.ts';
import { proveAddress } from './write-person.ts';

export interface AllPeopleDeps {
  readonly db: Kysely<Tables>;
  readonly backend: 'embedded' | 'postgres';
  readonly vault: Vault;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'debug'>;
  readonly securityLog: Pick<SecurityLog, 'record'>;
  /** Where browsers reach the dashboard. Cookies are secure if it is https. */
  readonly baseUrl: string;
  readonly oidc: OidcSettings | undefined;
  /** Wrong passwords per minute from one client address; 0 = no limit. */
  readonly failuresPerMinute: number;
  /** The options of a limiter that shares its counts through Redis, if configured. */
  readonly shared: (kind: string) => Omit<LimiterOptions, 'limitPerMinute'>;
}

/** Who may sign in to the dashboard, and what belongs to whom. */
export type People = ReturnType<typeof createPeople>;

/** Every function rejects with `unavailable` while the database is away. */
export function createPeople(deps: AllPeopleDeps) {
  const { db, clock, securityLog } = deps;
  const cookie = sessionCookieFor(deps.baseUrl);
  const hasher = createPasswordHasher();
  const forget = () => sessions.forget();
  const stores = { db, clock, hasher, onChanged: forget };
  const auth = createAuthLoader(deps, stores, cookie);
  const sessions = createKnownSessions({
    cookie,
    auth,
    findPerson: (id) => runQuery(() => findPerson(db, id)),
  });
  const signingIn = { ...stores, limits: createSignInLimits(deps), auth, securityLog };

  return {
    /** The person of a `Cookie` header. A change takes effect within a second, in whichever process it was made. */
    identify: sessions.identify,
    signIn: signIn.bind(null, signingIn),
    join: join.bind(null, signingIn),
    changePassword: changePassword.bind(null, signingIn),
    rename: rename.bind(null, stores),
    /** Ends a session. Its cookie is removed from the browser, too. */
    signOut: async (identity: Identity): Promise<readonly string[]> => {
      await runQuery(() =>
        db.deleteFrom('people_sessions').where('id', '=', identity.sessionId).execute(),
      );
      sessions.forget();
      securityLog.record('signed_out', { person: identity.person.id }, identity.person.id);
      return [expiredCookie(cookie)];
    },
    sessions: ({ person }: Identity) => listSessions(stores, person.id),
    endSession: endSession.bind(null, stores),
    endOtherSessions: endOtherSessions.bind(null, stores),
    members: members.listMembers.bind(null, stores),
    changeRole: members.changeRole.bind(null, stores),
    removeMember: members.removeMember.bind(null, stores),
    invite: invitations.createInvitation.bind(null, stores),
    invitations: invitations.listInvitations.bind(null, stores),
    withdrawInvitation: invitations.withdrawInvitation.bind(null, stores),
    invitation: (token: Secret) =>
      runQuery(() => invitations.openInvitation(db, token, clock.now())),
    list: directory.listPeople.bind(null, stores),
    create: directory.createPerson.bind(null, stores),
    resetPassword: directory.resetPassword.bind(null, stores),
    setOperator: directory.setOperator.bind(null, stores),
    tenants: listTenants.bind(null, stores),
    createTenant: createTenant.bind(null, stores),
    renameTenant: renameTenant.bind(null, stores),
    createFirstAdministrator: createFirstAdministrator.bind(null, stores),
    hasOidc: deps.oidc !== undefined,
    ...createOidc(deps, auth),
  };
}

/** Loads better-auth once, when it is first needed. */
function createAuthLoader(
  deps: AllPeopleDeps,
  stores: PeopleDeps,
  cookie: SessionCookie,
): () => Promise<Auth> {
  let loading: Promise<Auth> | undefined;
  const load = async (): Promise<Auth> => {
    const [secret, { loadAuth }] = await Promise.all([
      openSessionSecret(deps),
      import('./load-auth.ts'),
    ]);
    const mayCreate = (email: string) => invitations.isInvited(deps, email);
    const onCreated: AuthDeps['onCreated'] = ({ id, email, name }) =>
      appendAdminEntry(deps.db, {
        timestampMs: deps.clock.now(),
        tenantId: null,
        actor: id,
        action: 'person.created',
        subjectId: id,
        details: { email, name, isOperator: false },
      });
    const onProved = proveAddress.bind(null, stores);
    return loadAuth({ ...deps, secret, cookie, mayCreate, onProved, onCreated });
  };
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** Sign-in with the identity provider, if configured. */
function createOidc({ oidc, securityLog }: AllPeopleDeps, auth: () => Promise<Auth>) {
  const configured = async (): Promise<Auth> => {
    if (oidc) return auth();
    throw new GatewayError('not_found', 'This gateway has no identity provider.');
  };
  return {
    /** Where to send the browser. `returnTo` and `errorAt` are paths of the dashboard. */
    startOidc: async (returnTo: string, errorAt: string) => {
      const loaded = await configured();
      try {
        return await loaded.startOidc(returnTo, errorAt);
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
