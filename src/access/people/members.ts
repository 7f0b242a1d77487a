import { runQuery } from '../../platform/database/database-error.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { changePeople, type PeopleChange, type PeopleDeps } from './change-people.ts';
import { ADDRESS } from './find-person.ts';
import type { MemberRole } from './person.ts';
import { countMembers } from './write-person.ts';

export interface Member {
  readonly personId: string;
  readonly email: string;
  readonly name: string;
  /** Whether an operator or the identity provider has proved the address. */
  readonly isProved: boolean;
  readonly role: MemberRole;
  readonly joinedAtMs: number;
}

export interface MemberPage {
  readonly members: readonly Member[];
  /** Total, on all pages. */
  readonly count: number;
  /** Continues after the last member of this page; null on the last page. */
  readonly nextCursor: string | null;
}

/** What is done to a member, and by whom. */
export interface MemberChange {
  readonly tenantId: string;
  readonly personId: string;
  readonly actor: string;
}

/** The members of a tenant, in the order in which their accounts were created. */
export async function listMembers(
  { db }: PeopleDeps,
  { tenantId, cursor, limit }: { tenantId: string; cursor?: string | undefined; limit: number },
): Promise<MemberPage> {
  const all = db
    .selectFrom('memberships')
    .innerJoin('people_users', 'people_users.id', 'memberships.person_id')
    .select(['person_id', ADDRESS.as('email'), 'name', 'email_verified', 'role', 'created_at_ms'])
    .where('tenant_id', '=', tenantId)
    .orderBy('person_id')
    .limit(limit + 1);
  const [rows, count] = await runQuery(() =>
    Promise.all([
      (cursor === undefined ? all : all.where('person_id', '>', cursor)).execute(),
      countMembers(db, tenantId),
    ]),
  );
  const members = rows.slice(0, limit).map((row) => ({
    personId: row.person_id,
    email: row.email,
    name: row.name,
    isProved: Boolean(row.email_verified),
    role: row.role,
    joinedAtMs: row.created_at_ms,
  }));
  return {
    members,
    count,
    nextCursor: rows.length > limit ? (members.at(-1)?.personId ?? null) : null,
  };
}

/** Changes the role of a member. Rejects with `conflict` for the last administrator, `not_found` for another person. */
export function changeRole(
  deps: PeopleDeps,
  { tenantId, personId, actor }: MemberChange,
  role: MemberRole,
): Promise<void> {
  return changePeople(deps, async (change) => {
    const before = await roleOf(change, tenantId, personId);
    if (before === role) return;
    if (before === 'admin') await assertOtherAdmin(change, tenantId);
    await change.db
      .updateTable('memberships')
      .set({ role })
      .where('tenant_id', '=', tenantId)
      .where('person_id', '=', personId)
      .execute();
    await change.append({
      tenantId,
      actor,
      action: 'member.changed',
      subjectId: personId,
      details: { before, role },
    });
  });
}

/**
 * Removes a member. A person who then belongs to no tenant and is no operator is deleted: a tenant could otherwise create
 * people without bound. Rejects with `conflict` for the last administrator, `not_found` for another person.
 */
export function removeMember(
  deps: PeopleDeps,
  { tenantId, personId, actor }: MemberChange,
): Promise<void> {
  return changePeople(deps, async (change) => {
    const before = await roleOf(change, tenantId, personId);
    if (before === 'admin') await assertOtherAdmin(change, tenantId);
    await change.db
      .deleteFrom('memberships')
      .where('tenant_id', '=', tenantId)
      .where('person_id', '=', personId)
      .execute();
    await change.append({
      tenantId,
      actor,
      action: 'member.removed',
      subjectId: personId,
      details: { before },
    });
    await deleteIfUnattached(change, personId, actor);
  });
}

async function roleOf(
  { db }: PeopleChange,
  tenantId: string,
  personId: string,
): Promise<MemberRole> {
  const row = await db
    .selectFrom('memberships')
    .select('role')
    .where('tenant_id', '=', tenantId)
    .where('person_id', '=', personId)
    .executeTakeFirst();
  if (row) return row.role;
  throw new GatewayError('not_found', 'This person is not a member of the tenant.');
}

async function assertOtherAdmin({ db }: PeopleChange, tenantId: string): Promise<void> {
  const { count } = await db
    .selectFrom('memberships')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('role', '=', 'admin')
    .executeTakeFirstOrThrow();
  if (count > 1) return;
  throw new GatewayError(
    'conflict',
    'This is the last administrator of the tenant. Make another member an administrator first.',
  );
}

async function deleteIfUnattached(
  { db, append }: PeopleChange,
  personId: string,
  actor: string,
): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('people_users')
    .where('id', '=', personId)
    .where('is_operator', '=', 0)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('memberships').select('person_id').where('person_id', '=', personId))),
    )
    .executeTakeFirst();
  if (numDeletedRows === 0n) return;
  await append({
    tenantId: null,
    actor,
    action: 'person.deleted',
    subjectId: personId,
    details: {},
  });
}
