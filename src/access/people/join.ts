import { runQuery } from '../../platform/database/database-error.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import { changePeople } from './change-people.ts';
import { findPerson } from './find-person.ts';
import { type OpenInvitation, openInvitation } from './invitations.ts';
import type { Identity, PersonClient } from './person.ts';
import { assertPassword, normalName } from './person-fields.ts';
import { checkPassword, type SignedIn, type SignInDeps, startSession } from './sign-in.ts';
import { insertMembership, insertPerson } from './write-person.ts';

export interface Joining extends PersonClient {
  readonly token: Secret;
  /** Of a new person. */
  readonly name: string | undefined;
  /** A new person's choice, or that of the person who exists. Unnecessary for a person who is signed in already. */
  readonly password: Secret | undefined;
  readonly identity: Identity | undefined;
}

/** A person who may join: one who exists, or one who is created on joining. */
type Joiner =
  | { readonly personId: string }
  | { readonly name: string; readonly passwordHash: string };

/**
 * Makes a person a member of the tenant that invites it, and signs it in unless it is. The invitation is used up. Rejects
 * with `not_found` for an invitation that cannot be used, and as `signIn` does.
 */
export async function join(deps: SignInDeps, joining: Joining): Promise<SignedIn> {
  const { db, clock } = deps;
  const invitation = await runQuery(() => openInvitation(db, joining.token, clock.now()));
  const joiner = await identifyJoiner(deps, joining, invitation);
  const personId = await useInvitation(deps, joining.token, joiner);
  const { identity } = joining;
  if (identity?.person.id !== personId) return startSession(deps, personId, joining);
  const person = await runQuery(() => findPerson(db, personId));
  return {
    identity: { sessionId: identity.sessionId, person: person ?? identity.person },
    cookies: [],
  };
}

async function identifyJoiner(
  deps: SignInDeps,
  { identity, name = '', password, clientIp, userAgent }: Joining,
  { email, hasAccount }: OpenInvitation,
): Promise<Joiner> {
  if (identity?.person.email === email) return { personId: identity.person.id };
  if (!password) {
    throw new GatewayError(
      'invalid_arguments',
      hasAccount ? `Enter the password of ${email}.` : 'Choose a password.',
    );
  }
  if (hasAccount) {
    return { personId: await checkPassword(deps, { email, password, clientIp, userAgent }) };
  }
  assertPassword(password);
  return { name: normalName(name), passwordHash: await deps.hasher.hash(password) };
}

/** Reads the invitation again, in the transaction that uses it up: it can be used once. */
function useInvitation(deps: SignInDeps, token: Secret, joiner: Joiner): Promise<string> {
  return changePeople(deps, async (change) => {
    const { id, email, role, tenantId } = await openInvitation(change.db, token, change.nowMs);
    await change.db.deleteFrom('invitations').where('id', '=', id).execute();
    const personId =
      'personId' in joiner
        ? joiner.personId
        : await insertPerson(
            change,
            // The link may have been passed on: the address has not been checked.
            { email, ...joiner, isOperator: false, isVerified: false },
            null,
          );
    await insertMembership(change, { personId, tenantId, role }, personId);
    return personId;
  });
}
