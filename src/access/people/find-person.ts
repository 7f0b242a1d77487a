import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import type { Membership, Person } from './person.ts';

/** Tenants of one person. */
export const MAX_MEMBERSHIPS = 100;

/** The person with this id, with its tenants. */
export async function findPerson(db: Kysely<Tables>, id: string): Promise<Person | undefined> {
  const row = await db
    .selectFrom('people_users')
    .select(['id', 'email', 'name', 'is_operator'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  const { email, name, is_operator: isOperator } = row;
  return { id, email, name, isOperator: isOperator !== 0, memberships: await listTenants(db, id) };
}

async function listTenants(db: Kysely<Tables>, personId: string): Promise<readonly Membership[]> {
  const rows = await db
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .select(['tenants.id', 'tenants.slug', 'tenants.name', 'memberships.role'])
    .where('memberships.person_id', '=', personId)
    .orderBy('tenants.slug')
    .limit(MAX_MEMBERSHIPS)
    .execute();
  return rows.map(({ id, slug, name, role }) => ({
    tenantId: id,
    tenantSlug: slug,
    tenantName: name,
    role,
  }));
}

/** The provider of the accounts that have a password, as better-auth names it. */
export const PASSWORD_PROVIDER = 'credential';

export interface Credential {
  readonly personId: string;
  /** Null for a person who signs in with the identity provider only. */
  readonly hash: string | null;
}

/** The person with this e-mail address, in lower case, and the hash of its password. */
export async function findCredential(
  db: Kysely<Tables>,
  email: string,
): Promise<Credential | undefined> {
  const row = await db
    .selectFrom('people_users')
    .leftJoin('people_accounts', (join) =>
      join
        .onRef('people_accounts.user_id', '=', 'people_users.id')
        .on('people_accounts.provider_id', '=', PASSWORD_PROVIDER),
    )
    .select(['people_users.id', 'people_accounts.password'])
    .where('people_users.email', '=', email)
    .executeTakeFirst();
  return row && { personId: row.id, hash: row.password };
}
