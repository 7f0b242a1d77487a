import { runQuery } from '../../platform/database/database-error.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { endGrants } from '../keys/key-change.ts';
import {
  changePeople,
  countMembers,
  countRows,
  type PeopleChange,
  type PeopleDeps,
} from './change-people.ts';
import type { MemberRole } from './person.ts';

/** What is done to a member, and by whom. */
export interface MemberChange {
  readonly tenantId: string;
  readonly personId: string;
  readonly actor: string;
}

/**
 * The members of a tenant, in the order in which their accounts were created. `count` is their number on all pages;
 * `nextCursor` continues after the last of this page, and is null on the last page.
 */
export async function listMembers(
  { db }: PeopleDeps,
  { tenantId, cursor, limit }: { tenantId: string; cursor?: string | undefined; limit: number },
) {
  const all = db
    .selectFrom('memberships')
    .innerJoin('people_users', 'people_users.id', 'memberships.person_id')
    .select(['person_id', 'email', 'name', 'email_verified', 'role', 'created_at_ms'])
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
    /** Whether an operator or the identity provider has proved the address. */
    isProved: Boolean(row.email_verified),
    role: row.role,
    joinedAtMs: row.created_at_ms,
  }));
  const nextCursor = rows.length > limit ? (members.at(-1)?.personId ?? null) : null;
  return { members, count, nextCursor };
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
    if (role === 'viewer') await endGrants(change, { personIds: [personId], tenantId }, actor);
    await change.append(actor, 'member.changed', personId, { tenantId, details: { before, role } });
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
    await endGrants(change, { personIds: [personId], tenantId }, actor);
    await change.append(actor, 'member.removed', personId, { tenantId, details: { before } });
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
  const members = db.selectFrom('memberships').where('tenant_id', '=', tenantId);
  if ((await countRows(members.where('role', '=', 'admin'))) > 1) return;
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
  if (numDeletedRows > 0n) await append(actor, 'person.deleted', personId);
}
