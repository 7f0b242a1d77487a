import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { addressBlock } from '../limits/address-block.ts';
import { createFailureLimiter } from '../limits/failure-limiter.ts';
import type { LimitDecision } from '../limits/limit-decision.ts';
import type { LimiterOptions } from '../limits/rate-limiter.ts';
import type { SecurityLog } from '../trail/security-log.ts';
import type { Auth } from './auth.ts';
import { changePeople, type PeopleDeps, writePassword } from './change-people.ts';
import { type Credential, findCredentials, findPerson } from './find-person.ts';
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
  return startSession(deps, personId, attempt);
}

/** The person whose password this is. Rejects as `signIn` does. */
export async function checkPassword(deps: SignInDeps, attempt: PasswordAttempt): Promise<string> {
  const email = attempt.email.trim().toLowerCase();
  const password = new Secret(attempt.password.reveal().slice(0, MAX_PASSWORD_LENGTH + 1));
  const found = await findCredential(deps, { email, password, clientIp: attempt.clientIp });
  if (found) return found.personId;
  throw new GatewayError('unauthenticated', 'The e-mail address or the password is wrong.');
}

/** The credential of an address, or of one of its people, with this password. Counts a failure if it is wrong. */
function findCredential(
  { db, hasher, limits }: SignInDeps,
  { email, password, clientIp }: Omit<PasswordAttempt, 'userAgent'>,
  ofPerson?: string,
): Promise<Credential | undefined> {
  // The turn spans the count of a failure: passwords that are tried at the same time count, too.
  return hasher.inTurn(async (verify) => {
    const all = await runQuery(() => findCredentials(db, email));
    const found = all.filter(({ personId }) => personId === (ofPerson ?? personId));
    const attempt = { email, clientIp, personIds: found.map(({ personId }) => personId) };
    const admitted = await limits.admit(attempt);
    const tried = found.filter(({ personId }) => admitted.includes(personId));
    const verified = await verify(password, tried);
    if (!verified) await limits.recordFailure(attempt);
    return verified;
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

export interface PasswordChange {
  readonly currentPassword: Secret;
  readonly newPassword: Secret;
  readonly clientIp: string;
}

/**
 * Changes the password of a person, and ends its other sessions. Rejects with `forbidden` if the current one is wrong (which
 * counts like a failed sign-in), and with `invalid_arguments` if the new one is too short or too long.
 */
export async function changePassword(
  deps: SignInDeps,
  { person, sessionId }: Identity,
  { currentPassword, newPassword, clientIp }: PasswordChange,
): Promise<void> {
  assertPassword(newPassword);
  const attempt = { email: person.email, password: currentPassword, clientIp };
  const current = await findCredential(deps, attempt, person.id);
  if (!current) throw new GatewayError('forbidden', 'The current password is wrong.');
  const hash = await deps.hasher.hash(newPassword, current.isProved ? null : current.hash);
  await changePeople(deps, async (change) => {
    await writePassword(change, person.id, hash);
    const ended = await deleteSessions(change.db, person.id, sessionId);
    await change.append(person.id, 'person.password_changed', person.id, { details: { ended } });
  });
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
  /** Who has the address, or claims it. */
  readonly personIds: readonly string[];
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
    /** Whose passwords may be tried. Rejects with `rate_limited` while too many passwords were wrong. */
    async admit(attempt: Attempt): Promise<readonly string[]> {
      const ofAddress = addresses.refusalFor(attempt.clientIp);
      if (ofAddress) throw refuse('address', attempt, ofAddress);
      const ofAccount = accounts.refusalFor(accountKey(attempt.email));
      if (!ofAccount) return attempt.personIds;
      const known = await knownFrom(deps, attempt);
      if (known.length > 0) return known;
      throw refuse('account', attempt, ofAccount);
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
 * Those of the people who are signed in from this address. Strangers who guess its password could otherwise lock a person
 * out for as long as they keep guessing.
 */
async function knownFrom(
  { db, clock }: SignInLimitsDeps,
  { personIds, clientIp }: Attempt,
): Promise<readonly string[]> {
  if (personIds.length === 0) return [];
  const rows = await db
    .selectFrom('people_sessions')
    .select(['user_id', 'ip_address'])
    .distinct()
    .where('user_id', 'in', personIds)
    .where('expires_at', '>', new Date(clock.now()).toISOString())
    .limit(MAX_SESSIONS * personIds.length)
    .execute();
  const block = addressBlock(clientIp);
  return rows.flatMap(({ user_id: id, ip_address: known }) =>
    known !== null && addressBlock(known) === block ? [id] : [],
  );
}
