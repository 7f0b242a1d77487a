import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newAccountId, newPersonId } from '../../platform/kernel/ids.ts';
import type { PeopleChange } from './change-people.ts';
import { MAX_MEMBERSHIPS, PASSWORD_PROVIDER } from './find-person.ts';
import type { MemberRole } from './person.ts';

/** Members of one tenant. */
export const MAX_MEMBERS = 500;

export interface NewPerson {
  /** In lower case. */
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  readonly isOperator: boolean;
  /** Whether the operator vouches for the address, so that the identity provider's account of it is the same person. */
  readonly isVerified: boolean;
}

/** Creates a person with a password. Rejects with `conflict` if the address is taken. */
export async function insertPerson(
  { db, nowMs, append }: PeopleChange,
  person: NewPerson,
  actor: string | null,
): Promise<string> {
  const id = newPersonId();
  const now = new Date(nowMs).toISOString();
  const times = { created_at: now, updated_at: now };
  const { email, name, isOperator } = person;
  const inserted = await db
    .insertInto('people_users')
    .values({
      id,
      name,
      email,
      email_verified: person.isVerified ? 1 : 0,
      image: null,
      is_operator: isOperator ? 1 : 0,
      ...times,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirst();
  if (!inserted.numInsertedOrUpdatedRows) {
    throw new GatewayError('conflict', `A person with the e-mail address ${email} already exists.`);
  }
  await insertPassword(db, { personId: id, hash: person.passwordHash, now });
  await append({
    tenantId: null,
    actor: actor ?? id,
    action: 'person.created',
    subjectId: id,
    details: { email, name, isOperator },
  });
  return id;
}

async function insertPassword(
  db: Kysely<Tables>,
  { personId, hash, now }: { personId: string; hash: string; now: string },
): Promise<void> {
  await db
    .insertInto('people_accounts')
    .values({
      id: newAccountId(),
      account_id: personId,
      provider_id: PASSWORD_PROVIDER,
      user_id: personId,
      password: hash,
      created_at: now,
      updated_at: now,
    })
    .execute();
}

/** Replaces the password of a person, or gives a first one to a person who has none. */
export async function writePassword(
  { db, nowMs }: PeopleChange,
  personId: string,
  hash: string,
): Promise<void> {
  const now = new Date(nowMs).toISOString();
  const { numUpdatedRows } = await db
    .updateTable('people_accounts')
    .set({ password: hash, updated_at: now })
    .where('user_id', '=', personId)
    .where('provider_id', '=', PASSWORD_PROVIDER)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) await insertPassword(db, { personId, hash, now });
}

export interface NewMembership {
  readonly personId: string;
  readonly tenantId: string;
  readonly role: MemberRole;
}

/** Adds a person to a tenant. Rejects with `conflict` if it is a member, or if either has too many. */
export async function insertMembership(
  { db, nowMs, append }: PeopleChange,
  { personId, tenantId, role }: NewMembership,
  actor: string,
): Promise<void> {
  if ((await countMembers(db, tenantId)) >= MAX_MEMBERS) {
    throw new GatewayError(
      'conflict',
      `A tenant has at most ${MAX_MEMBERS} members. Remove one first.`,
    );
  }
  const { count } = await db
    .selectFrom('memberships')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('person_id', '=', personId)
    .executeTakeFirstOrThrow();
  if (count >= MAX_MEMBERSHIPS) {
    throw new GatewayError('conflict', `A person belongs to at most ${MAX_MEMBERSHIPS} tenants.`);
  }
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('memberships')
    .values({ person_id: personId, tenant_id: tenantId, role, created_at_ms: nowMs })
    .onConflict((conflict) => conflict.columns(['person_id', 'tenant_id']).doNothing())
    .executeTakeFirst();
  if (!numInsertedOrUpdatedRows) {
    throw new GatewayError('conflict', 'This person is already a member of the tenant.');
  }
  await append({ tenantId, actor, action: 'member.added', subjectId: personId, details: { role } });
}

/** Members of a tenant. */
export async function countMembers(db: Kysely<Tables>, tenantId: string): Promise<number> {
  const { count } = await db
    .selectFrom('memberships')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow();
  return count;
}
