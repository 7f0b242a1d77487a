import { runQuery } from '../../platform/database/database-error.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import type { SecurityLog } from '../trail/security-log.ts';
import type { Auth } from './auth.ts';
import type { PeopleDeps } from './change-people.ts';
import { findCredentials, findPerson } from './find-person.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { Identity, PersonClient } from './person.ts';
import { MAX_PASSWORD_LENGTH } from './person-fields.ts';
import type { SignInLimits } from './sign-in-limits.ts';

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
export function checkPassword(deps: SignInDeps, attempt: PasswordAttempt): Promise<string> {
  const { db, hasher, limits } = deps;
  const email = attempt.email.trim().toLowerCase();
  const password = new Secret(attempt.password.reveal().slice(0, MAX_PASSWORD_LENGTH + 1));
  // The turn spans the count of a failure: passwords that are tried at the same time count, too.
  return hasher.inTurn(async (verify) => {
    const found = await runQuery(() => findCredentials(db, email));
    const personIds = found.map(({ personId }) => personId);
    const described = { email, clientIp: attempt.clientIp, personIds };
    const admitted = await limits.admit(described);
    const tried = found.filter(({ personId }) => admitted.includes(personId));
    const verified = await verify(password, tried);
    if (verified) return verified.personId;
    await limits.recordFailure(described);
    throw new GatewayError('unauthenticated', 'The e-mail address or the password is wrong.');
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
