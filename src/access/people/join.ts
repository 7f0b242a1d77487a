import { runQuery } from '../../platform/database/database-error.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import { changePeople } from './change-people.ts';
import { findCredentials, findPerson } from './find-person.ts';
import { type OpenInvitation, openInvitation } from './invitations.ts';
import type { Identity, PersonClient } from './person.ts';
import { assertPassword, normalName } from './person-fields.ts';
import { checkPassword, type SignedIn, type SignInDeps, startSession } from './sign-in.ts';
import { insertMembership, insertPerson } from './write-person.ts';

export interface Joining extends PersonClient {
  readonly token: Secret;
  /** Of a new person. */
  readonly name: string | undefined;
  /** A new person's choice, or that of the person who has the address. Unnecessary for a person who is signed in already. */
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
  joining: Joining,
  invitation: OpenInvitation,
): Promise<Joiner> {
  const { identity, password, clientIp, userAgent } = joining;
  const { email, hasAccount } = invitation;
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
  return chooseAccount(deps, { name: normalName(joining.name ?? ''), password }, invitation);
}

/**
 * Of an unproved address, a password that one of its people has leads to that person, and any other makes a further one.
 * The hashes share a salt, so that signing in compares them at the cost of one.
 */
async function chooseAccount(
  { db, hasher }: SignInDeps,
  { name, password }: { readonly name: string; readonly password: Secret },
  { email, isByOperator }: OpenInvitation,
): Promise<Joiner> {
  const claims = isByOperator ? [] : await runQuery(() => findCredentials(db, email));
  if (claims.length > 0) {
    const known = await hasher.inTurn((verify) => verify(password, claims));
    if (known) return { personId: known.personId };
  }
  return { name, passwordHash: await hasher.hash(password, claims[0]?.hash) };
}

/** Reads the invitation again, in the transaction that uses it up: it can be used once. */
function useInvitation(deps: SignInDeps, token: Secret, joiner: Joiner): Promise<string> {
  return changePeople(deps, async (change) => {
    const invitation = await openInvitation(change.db, token, change.nowMs);
    const { id, email, role, tenantId } = invitation;
    await change.db.deleteFrom('invitations').where('id', '=', id).execute();
    if ('personId' in joiner) {
      const { personId } = joiner;
      await insertMembership(change, { personId, tenantId, role }, personId);
      return personId;
    }
    // A tenant's admin sees the links that it makes, and may use them itself.
    const isProved = invitation.isByOperator;
    const memberships = [{ tenantId, role }];
    return insertPerson(
      change,
      { email, ...joiner, isOperator: false, isProved, memberships },
      null,
    );
  });
}
