import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import { endGrants } from '../keys/key-change.ts';
import { addressBlock, createFailureLimiter } from '../limits/failure-limiter.ts';
import type { LimitDecision } from '../limits/limit-decision.ts';
import type { LimiterOptions } from '../limits/rate-limiter.ts';
import type { SecurityLog } from '../trail/security-log.ts';
import type { Auth } from './auth.ts';
import { changePeople, type PeopleDeps, writePassword } from './change-people.ts';
import { findCredential, findPerson } from './find-person.ts';
import type { PasswordHasher } from './passwords.ts';
import { assertPassword, type Identity, MAX_PASSWORD_LENGTH, type PersonClient } from './person.ts';
import { deleteSessions, MAX_SESSIONS } from './sessions.ts';

export interface SignInDeps extends PeopleDeps {
  readonly hasher: PasswordHasher;
  readonly limits: SignInLimits;
  readonly auth: () => Promise<Auth>;
  readonly securityLog: Pick<SecurityLog, 'record'>;
}

export interface PasswordAttempt extends PersonClient {
  readonly email: string;
  readonly password: Secret;
}

/** A new session: `cookies` are the values of `Set-Cookie`. */
export interface SignedIn {
  readonly identity: Identity;
  readonly cookies: readonly string[];
}

/**
 * Signs a person in. Rejects with `unauthenticated` for a wrong password or an unknown address, which take equally long,
 * and with `rate_limited` after too many of them.
 */
export async function signIn(deps: SignInDeps, attempt: PasswordAttempt): Promise<SignedIn> {
  const personId = await checkPassword(deps, attempt);
  if (personId !== undefined) return startSession(deps, personId, attempt);
  throw new GatewayError('unauthenticated', 'The e-mail address or the password is wrong.');
}

/**
 * The id of the person with this address and password. Resolves to undefined, after as long, for a wrong password and for
 * a free address, which count as failures; rejects with `rate_limited` after too many of them.
 */
export function checkPassword(
  { db, hasher, limits }: SignInDeps,
  { email: text, password: given, clientIp }: Omit<PasswordAttempt, 'userAgent'>,
): Promise<string | undefined> {
  const email = text.trim().toLowerCase();
  const password = new Secret(given.reveal().slice(0, MAX_PASSWORD_LENGTH + 1));
  // The turn spans the count of a failure: passwords that are tried at the same time count, too.
  return hasher.inTurn(async (verify) => {
    const found = await runQuery(() => findCredential(db, email));
    const attempt = { email, clientIp, personId: found?.personId };
    await limits.admit(attempt);
    if (await verify(password, found?.hash ?? null)) return found?.personId;
    await limits.recordFailure(attempt);
    return undefined;
  });
}

/** Starts a session of a person whose identity is certain. */
export async function startSession(
  deps: SignInDeps,
  personId: string,
  client: PersonClient,
): Promise<SignedIn> {
  const { db, securityLog } = deps;
  const auth = await deps.auth();
  const { sessionId, cookies } = await runQuery(() => auth.startSession(personId, client));
  const person = await runQuery(() => findPerson(db, personId));
  if (!person) throw new GatewayError('unauthenticated', 'This person was deleted.');
  securityLog.record('signed_in', { person: personId, address: client.clientIp }, personId);
  return { identity: { person, sessionId }, cookies };
}

export interface PasswordChange extends PersonClient {
  readonly currentPassword: Secret;
  readonly newPassword: Secret;
  /** Whether what the person has connected ends, too. */
  readonly endsApps: boolean;
}

/**
 * Changes the password of a person, and replaces its sessions by a new one, whose cookies it returns: a thief who knows the
 * id of the old one is out. Rejects with `forbidden` if the current password is wrong (which counts like a failed sign-in),
 * and with `invalid_arguments` if the new one is too short or too long.
 */
export async function changePassword(
  deps: SignInDeps,
  { person }: Identity,
  { currentPassword, newPassword, endsApps, ...client }: PasswordChange,
): Promise<readonly string[]> {
  const { clientIp } = client;
  assertPassword(newPassword);
  const attempt = { email: person.email, password: currentPassword, clientIp };
  if ((await checkPassword(deps, attempt)) !== person.id) {
    throw new GatewayError('forbidden', 'The current password is wrong.');
  }
  const hash = await deps.hasher.hash(newPassword);
  await changePeople(deps, async (change) => {
    await writePassword(change, person.id, hash);
    const ended = await deleteSessions(change.db, person.id);
    if (endsApps) await endGrants(change, { personIds: [person.id] }, person.id);
    await change.append(person.id, 'person.password_changed', person.id, { details: { ended } });
  });
  const auth = await deps.auth();
  return (await runQuery(() => auth.startSession(person.id, client))).cookies;
}

/** Wrong passwords per minute for one e-mail address. */
export const FAILURES_OF_ACCOUNT = 10;

export interface SignInLimitsDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly securityLog: Pick<SecurityLog, 'record'>;
  /** Wrong passwords per minute from one client address; 0 = no limit. */
  readonly failuresPerMinute: number;
  /** The options of a limiter that shares its counts through Redis, if configured. */
  readonly shared: (kind: string) => Omit<LimiterOptions, 'limitPerMinute'>;
}

interface Attempt {
  /** In lower case. */
  readonly email: string;
  readonly clientIp: string;
  /** Who has the address. */
  readonly personId: string | undefined;
}

type SignInLimits = ReturnType<typeof createSignInLimits>;

/** Slows down guessing of passwords, by client address and by e-mail address. */
export function createSignInLimits(deps: SignInLimitsDeps) {
  const { securityLog, failuresPerMinute, shared } = deps;
  const addresses = createFailureLimiter({
    ...shared('sign-in-addresses'),
    limitPerMinute: failuresPerMinute,
  });
  const accounts = createFailureLimiter({
    ...shared('sign-in-accounts'),
    limitPerMinute: FAILURES_OF_ACCOUNT,
  });
  const refuse = (by: 'address' | 'account', { clientIp }: Attempt, decision: LimitDecision) => {
    securityLog.record('sign_in_blocked', { by, address: clientIp }, addressBlock(clientIp));
    const { retryAfterSeconds } = decision;
    return new GatewayError(
      'rate_limited',
      `Too many wrong passwords. Try again in ${retryAfterSeconds} seconds.`,
      { details: { retryAfterSeconds } },
    );
  };
  return {
    /** Rejects with `rate_limited` while too many passwords were wrong. */
    async admit(attempt: Attempt): Promise<void> {
      const ofAddress = addresses.refusalFor(attempt.clientIp);
      if (ofAddress) throw refuse('address', attempt, ofAddress);
      const ofAccount = accounts.refusalFor(accountKey(attempt.email));
      if (ofAccount && !(await isSignedInThere(deps, attempt))) {
        throw refuse('account', attempt, ofAccount);
      }
    },
    async recordFailure({ clientIp, email }: Attempt): Promise<void> {
      securityLog.record('sign_in_failed', { address: clientIp }, addressBlock(clientIp));
      await Promise.all([
        addresses.recordFailure(clientIp),
        accounts.recordFailure(accountKey(email)),
      ]);
    },
  };
}

/** Neither Redis nor the memory holds e-mail addresses. */
const accountKey = (email: string): string => createHash('sha256').update(email).digest('hex');

/**
 * Whether the person is signed in from this address. Strangers who guess its password could otherwise lock a person out for
 * as long as they keep guessing.
 */
async function isSignedInThere(
  { db, clock }: SignInLimitsDeps,
  { personId, clientIp }: Attempt,
): Promise<boolean> {
  if (personId === undefined) return false;
  const rows = await db
    .selectFrom('people_sessions')
    .select('ip_address')
    .distinct()
    .where('user_id', '=', personId)
    .where('expires_at', '>', new Date(clock.now()).toISOString())
    .limit(MAX_SESSIONS)
    .execute();
  const block = addressBlock(clientIp);
  return rows.some(({ ip_address: known }) => known !== null && addressBlock(known) === block);
}
