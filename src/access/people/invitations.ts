import { createHash, randomBytes } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { InvitationsTable, Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newInvitationId } from '../../platform/kernel/ids.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import {
  changePeople,
  countRows,
  insertMembership,
  insertPerson,
  type PeopleDeps,
} from './change-people.ts';
import { findCredential, findPerson, holdingInvitations } from './find-person.ts';
import {
  assertPassword,
  type Identity,
  MAX_NAME_LENGTH,
  type MemberRole,
  normalEmail,
  normalName,
  type PersonClient,
} from './person.ts';
import { checkPassword, type SignedIn, type SignInDeps, startSession } from './sign-in.ts';

/** Invitations of one tenant that can be used. */
export const MAX_INVITATIONS = 100;
/** How long the link of an invitation can be used. */
export const INVITATION_MS = 7 * 86_400_000;

export interface NewInvitation {
  readonly tenantId: string;
  readonly email: string;
  readonly role: MemberRole;
  /** For the trail. */
  readonly actor: string;
  /** Id of the person or of the API key that gets the link; by default, the actor. */
  readonly invitedBy?: string;
}

const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

type Invitation = Readonly<ReturnType<typeof toInvitation>>;

const toInvitation = (row: Selectable<InvitationsTable>) => ({
  id: row.id,
  email: row.email,
  role: row.role,
  invitedBy: row.invited_by,
  createdAtMs: row.created_at_ms,
  expiresAtMs: row.expires_at_ms,
});

/**
 * Invites an e-mail address, in place of an older invitation to it. Returns the token of its link, which is stored nowhere.
 * Rejects with `conflict` for a member, and when too many invitations are pending.
 */
export async function createInvitation(
  deps: PeopleDeps,
  { tenantId, email: text, role, actor, invitedBy = actor }: NewInvitation,
): Promise<{ invitation: Invitation; token: Secret }> {
  const email = normalEmail(text);
  const token = randomBytes(32).toString('base64url');
  return changePeople(deps, async ({ db, nowMs, append }) => {
    await assertNoMember(db, tenantId, email);
    const holding = holdingInvitations(db, nowMs).select('invitations.id');
    await db
      .deleteFrom('invitations')
      .where('tenant_id', '=', tenantId)
      .where(({ or, eb }) => or([eb('email', '=', email), eb('id', 'not in', holding)]))
      .execute();
    await assertRoom(db, tenantId);
    const row = {
      id: newInvitationId(),
      token_hash: digestOf(token),
      tenant_id: tenantId,
      email,
      role,
      invited_by: invitedBy,
      created_at_ms: nowMs,
      expires_at_ms: nowMs + INVITATION_MS,
      withdrawn_at_ms: null,
    };
    await db.insertInto('invitations').values(row).execute();
    await append(actor, 'invitation.created', row.id, { tenantId, details: { email, role } });
    return { invitation: toInvitation(row), token: new Secret(token) };
  });
}

async function assertNoMember(db: Kysely<Tables>, tenantId: string, email: string): Promise<void> {
  const member = await db
    .selectFrom('people_users')
    .innerJoin('memberships', 'memberships.person_id', 'people_users.id')
    .select('people_users.id')
    .where('email', '=', email)
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst();
  if (!member) return;
  throw new GatewayError('conflict', `${email} is already a member of the tenant.`);
}

async function assertRoom(db: Kysely<Tables>, tenantId: string): Promise<void> {
  const pending = db.selectFrom('invitations').where('tenant_id', '=', tenantId);
  if ((await countRows(pending)) < MAX_INVITATIONS) return;
  throw new GatewayError(
    'conflict',
    `A tenant has at most ${MAX_INVITATIONS} pending invitations. Withdraw one first.`,
  );
}

/** The pending invitations of a tenant, newest first; at most `MAX_INVITATIONS`. */
export async function listInvitations(
  { db, clock }: PeopleDeps,
  tenantId: string,
): Promise<readonly Invitation[]> {
  const rows = await runQuery(() =>
    holdingInvitations(db, clock.now())
      .selectAll('invitations')
      .where('invitations.tenant_id', '=', tenantId)
      .orderBy('invitations.id', 'desc')
      .limit(MAX_INVITATIONS)
      .execute(),
  );
  return rows.map(toInvitation);
}

interface InvitationChange {
  readonly tenantId: string;
  readonly id: string;
  /** For the trail. */
  readonly actor: string;
}

/**
 * Withdraws an invitation, whose link then leads nowhere. It can be restored until the tenant makes another one. Rejects with
 * `not_found` for one of another tenant.
 */
export const withdrawInvitation = (deps: PeopleDeps, change: InvitationChange): Promise<void> =>
  changeInvitation(deps, change, 'invitation.withdrawn');

/** Lets the link of a withdrawn invitation lead on. Rejects with `not_found`, and with `conflict` for a member. */
export const restoreInvitation = (deps: PeopleDeps, change: InvitationChange): Promise<void> =>
  changeInvitation(deps, change, 'invitation.restored');

function changeInvitation(
  deps: PeopleDeps,
  { tenantId, id, actor }: InvitationChange,
  action: 'invitation.withdrawn' | 'invitation.restored',
): Promise<void> {
  const isRestored = action === 'invitation.restored';
  return changePeople(deps, async ({ db, nowMs, append }) => {
    const changed = await db
      .updateTable('invitations')
      .set({ withdrawn_at_ms: isRestored ? null : nowMs })
      .where('id', '=', id)
      .where('tenant_id', '=', tenantId)
      .where('expires_at_ms', '>', nowMs)
      .$if(!isRestored, (query) => query.where('withdrawn_at_ms', 'is', null))
      .returning('email')
      .executeTakeFirst();
    if (!changed) {
      throw new GatewayError(
        'not_found',
        'This invitation was used, has expired or was withdrawn.',
      );
    }
    if (isRestored) await assertNoMember(db, tenantId, changed.email);
    await append(actor, action, id, { tenantId, details: changed });
  });
}

/** An invitation as the person who opens its link sees it. */
export interface OpenInvitation extends Invitation {
  readonly tenantId: string;
  readonly tenantSlug: string;
  readonly tenantName: string;
  /** Whether an operator of the gateway invites, who thereby vouches that the link reaches the owner of the address. */
  readonly isByOperator: boolean;
}

/** The invitation of a link. Rejects with `not_found` for a token that is unknown, used or withdrawn, or does not hold. */
export async function openInvitation(
  db: Kysely<Tables>,
  token: Secret,
  nowMs: number,
): Promise<OpenInvitation> {
  const row = await holdingInvitations(db, nowMs)
    .innerJoin('tenants', 'tenants.id', 'invitations.tenant_id')
    .selectAll('invitations')
    .select(['tenants.slug', 'tenants.name', 'inviter.id as inviter_id', 'inviter.is_operator'])
    .where('token_hash', '=', digestOf(token.reveal()))
    .executeTakeFirst();
  if (!row) {
    throw new GatewayError(
      'not_found',
      'This invitation was used, has expired or was withdrawn, or its sender may not invite any more. Ask for a new one.',
    );
  }
  return {
    ...toInvitation(row),
    tenantId: row.tenant_id,
    tenantSlug: row.slug,
    tenantName: row.name,
    isByOperator: row.is_operator === 1 && row.inviter_id === row.invited_by,
  };
}

export interface Joining extends PersonClient {
  readonly token: Secret;
  /** Of a new person; by default, the address. */
  readonly name: string | undefined;
  /** That of the person who has the address, or the choice of a new one. Unnecessary for a person who is signed in. */
  readonly password: Secret | undefined;
  readonly identity: Identity | undefined;
}

/** A person who may join: one who exists, or one who is created on joining. */
type Joiner =
  | { readonly personId: string }
  | { readonly name: string; readonly passwordHash: string };

/**
 * Makes a person a member of the tenant that invites it, and signs it in unless it is. The invitation is used up. Rejects
 * with `not_found` for an invitation that cannot be used, and as `signIn` does for the address of an existing person.
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
  { identity, name: chosen, password, clientIp }: Joining,
  { email, isByOperator }: OpenInvitation,
): Promise<Joiner> {
  if (identity?.person.email === email) return { personId: identity.person.id };
  if (!password) {
    throw new GatewayError(
      'invalid_arguments',
      `Enter the password of the account ${email}, or choose one to create it.`,
    );
  }
  // Before the look-up: these refusals must not show whether a person has the address.
  assertPassword(password);
  const name = normalName(chosen ?? email.slice(0, MAX_NAME_LENGTH));
  const owner = await runQuery(() => findCredential(deps.db, email));
  if (!owner || (isByOperator && !owner.isProved)) {
    return { name, passwordHash: await deps.hasher.hash(password) };
  }
  const personId = await checkPassword(deps, { email, password, clientIp });
  if (personId !== undefined) return { personId };
  throw new GatewayError(
    'unauthenticated',
    `The account ${email} exists, and has another password. Enter that one or, if the account is not yours, ask an operator of the gateway.`,
  );
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
    const person = { email, ...joiner, isOperator: false, isProved, memberships };
    return insertPerson(change, person, null);
  });
}
