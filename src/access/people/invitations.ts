import { createHash, randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newInvitationId } from '../../platform/kernel/ids.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { changePeople, type PeopleChange, type PeopleDeps } from './change-people.ts';
import { ADDRESS } from './find-person.ts';
import type { MemberRole } from './person.ts';
import { normalEmail } from './person-fields.ts';

/** Invitations of one tenant that are neither used, withdrawn nor expired. */
export const MAX_INVITATIONS = 100;
/** How long the link of an invitation can be used. */
export const INVITATION_MS = 7 * 86_400_000;

export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly invitedBy: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** An invitation as the person who opens its link sees it. */
export interface OpenInvitation extends Invitation {
  readonly tenantId: string;
  readonly tenantSlug: string;
  readonly tenantName: string;
  /** Whether a person has proved the address, who then signs in instead of choosing a password. */
  readonly hasAccount: boolean;
  /** Whether an operator of the gateway invites, who thereby vouches that the link reaches the owner of the address. */
  readonly isByOperator: boolean;
}

export interface NewInvitation {
  readonly tenantId: string;
  readonly email: string;
  readonly role: MemberRole;
  /** Id of the person who invites. */
  readonly actor: string;
}

const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/**
 * Invites an e-mail address, in place of an older invitation to it. Returns the token of its link, which is stored nowhere.
 * Rejects with `conflict` for a member, and when too many invitations are pending.
 */
export async function createInvitation(
  deps: PeopleDeps,
  { tenantId, email: text, role, actor }: NewInvitation,
): Promise<{ invitation: Invitation; token: Secret }> {
  const email = normalEmail(text);
  const token = randomBytes(32).toString('base64url');
  return changePeople(deps, async (change) => {
    const { db, nowMs, append } = change;
    await assertNoMember(db, tenantId, email);
    await db
      .deleteFrom('invitations')
      .where('tenant_id', '=', tenantId)
      .where(({ or, eb }) => or([eb('email', '=', email), eb('expires_at_ms', '<=', nowMs)]))
      .execute();
    await assertRoom(db, tenantId);
    const invitation: Invitation = {
      id: newInvitationId(),
      email,
      role,
      invitedBy: actor,
      createdAtMs: nowMs,
      expiresAtMs: nowMs + INVITATION_MS,
    };
    await insert(change, tenantId, invitation, token);
    await append({
      tenantId,
      actor,
      action: 'invitation.created',
      subjectId: invitation.id,
      details: { email, role },
    });
    return { invitation, token: new Secret(token) };
  });
}

async function insert(
  { db }: PeopleChange,
  tenantId: string,
  invitation: Invitation,
  token: string,
): Promise<void> {
  await db
    .insertInto('invitations')
    .values({
      id: invitation.id,
      token_hash: digestOf(token),
      tenant_id: tenantId,
      email: invitation.email,
      role: invitation.role,
      invited_by: invitation.invitedBy,
      created_at_ms: invitation.createdAtMs,
      expires_at_ms: invitation.expiresAtMs,
    })
    .execute();
}

async function assertNoMember(db: Kysely<Tables>, tenantId: string, email: string): Promise<void> {
  const member = await db
    .selectFrom('people_users')
    .innerJoin('memberships', 'memberships.person_id', 'people_users.id')
    .select('people_users.id')
    .where(ADDRESS, '=', email)
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst();
  if (!member) return;
  throw new GatewayError('conflict', `${email} is already a member of the tenant.`);
}

async function assertRoom(db: Kysely<Tables>, tenantId: string): Promise<void> {
  const { count } = await db
    .selectFrom('invitations')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow();
  if (count < MAX_INVITATIONS) return;
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
    db
      .selectFrom('invitations')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('expires_at_ms', '>', clock.now())
      .orderBy('id', 'desc')
      .limit(MAX_INVITATIONS)
      .execute(),
  );
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    role: row.role,
    invitedBy: row.invited_by,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
  }));
}

/** Withdraws an invitation, whose link then leads nowhere. Rejects with `not_found` for one of another tenant. */
export function withdrawInvitation(
  deps: PeopleDeps,
  { tenantId, id, actor }: { tenantId: string; id: string; actor: string },
): Promise<void> {
  return changePeople(deps, async ({ db, append }) => {
    const deleted = await db
      .deleteFrom('invitations')
      .where('id', '=', id)
      .where('tenant_id', '=', tenantId)
      .returning('email')
      .executeTakeFirst();
    if (!deleted) {
      throw new GatewayError(
        'not_found',
        'This invitation was used, has expired or was withdrawn.',
      );
    }
    await append({
      tenantId,
      actor,
      action: 'invitation.withdrawn',
      subjectId: id,
      details: { email: deleted.email },
    });
  });
}

/** The invitation of a link. Rejects with `not_found` for a token that is unknown, used, withdrawn or expired. */
export async function openInvitation(
  db: Kysely<Tables>,
  token: Secret,
  nowMs: number,
): Promise<OpenInvitation> {
  const row = await db
    .selectFrom('invitations')
    .innerJoin('tenants', 'tenants.id', 'invitations.tenant_id')
    .leftJoin('people_users as owner', (join) =>
      join.onRef('owner.email', '=', 'invitations.email').on('owner.email_verified', '=', 1),
    )
    .leftJoin('people_users as inviter', 'inviter.id', 'invitations.invited_by')
    .selectAll('invitations')
    .select(['tenants.slug', 'tenants.name', 'owner.id as owner_id', 'inviter.is_operator'])
    .where('token_hash', '=', digestOf(token.reveal()))
    .where('expires_at_ms', '>', nowMs)
    .executeTakeFirst();
  if (!row) {
    throw new GatewayError(
      'not_found',
      'This invitation was used, has expired or was withdrawn. Ask for a new one.',
    );
  }
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    invitedBy: row.invited_by,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    tenantId: row.tenant_id,
    tenantSlug: row.slug,
    tenantName: row.name,
    hasAccount: row.owner_id !== null,
    isByOperator: row.is_operator === 1,
  };
}

/** Whether an invitation to this address is pending. */
export async function isInvited({ db, clock }: PeopleDeps, email: string): Promise<boolean> {
  const row = await db
    .selectFrom('invitations')
    .select('id')
    .where('email', '=', email)
    .where('expires_at_ms', '>', clock.now())
    .executeTakeFirst();
  return row !== undefined;
}
