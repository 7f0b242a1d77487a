import { type Kysely, sql } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Person } from './person.ts';

/** Tenants of one person. */
export const MAX_MEMBERSHIPS = 100;

/** People who claim one address, as long as it is unproved. */
export const MAX_CLAIMS = 100;

/** The address of a row of `people_users`. */
export const ADDRESS = sql<string>`coalesce(people_users.claimed_email, people_users.email)`;

/** The person with this id, with its tenants. */
export async function findPerson(db: Kysely<Tables>, id: string): Promise<Person | undefined> {
  const row = await db
    .selectFrom('people_users')
    .select(['id', ADDRESS.as('email'), 'name', 'is_operator'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  const memberships = await db
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .select([
      'tenants.id as tenantId',
      'tenants.slug as tenantSlug',
      'tenants.name as tenantName',
      'memberships.role',
    ])
    .where('memberships.person_id', '=', id)
    .orderBy('tenants.slug')
    .limit(MAX_MEMBERSHIPS)
    .execute();
  const { email, name, is_operator: isOperator } = row;
  return { id, email, name, isOperator: isOperator !== 0, memberships };
}

/** The provider of the accounts that have a password, as better-auth names it. */
export const PASSWORD_PROVIDER = 'credential';

export interface Credential {
  readonly personId: string;
  /** Null for a person who signs in with the identity provider only. */
  readonly hash: string | null;
  readonly isProved: boolean;
  readonly isOperator: boolean;
}

/**
 * The person who has proved this address, which is in lower case; of an unproved one, all who claim it, those with the
 * newest passwords first: no choice of a password must lead to an older account with the same one.
 */
export async function findCredentials(
  db: Kysely<Tables>,
  address: string,
): Promise<readonly Credential[]> {
  const rows = await db
    .selectFrom('people_users')
    .leftJoin('people_accounts', (join) =>
      join
        .onRef('people_accounts.user_id', '=', 'people_users.id')
        .on('people_accounts.provider_id', '=', PASSWORD_PROVIDER),
    )
    .select(['people_users.id', 'email_verified', 'is_operator', 'people_accounts.password'])
    .where(({ or, eb }) => or([eb('email', '=', address), eb('claimed_email', '=', address)]))
    .orderBy('people_accounts.updated_at', 'desc')
    .orderBy('people_users.id', 'desc')
    .limit(MAX_CLAIMS)
    .execute();
  const found = rows.map((row) => ({
    personId: row.id,
    hash: row.password,
    isProved: Boolean(row.email_verified),
    isOperator: row.is_operator !== 0,
  }));
  const proved = found.filter(({ isProved }) => isProved);
  return proved.length > 0 ? proved : found;
}

/** The names of these people, at most 500, by id; people who were deleted are absent. Rejects with `unavailable`. */
export async function namesOf(
  db: Kysely<Tables>,
  personIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (personIds.length === 0) return new Map();
  const rows = await runQuery(() =>
    db.selectFrom('people_users').select(['id', 'name']).where('id', 'in', personIds).execute(),
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Whether an invitation to this address is pending. */
export async function isInvited(
  db: Kysely<Tables>,
  email: string,
  nowMs: number,
): Promise<boolean> {
  const row = await db
    .selectFrom('invitations')
    .select('id')
    .where('email', '=', email)
    .where('expires_at_ms', '>', nowMs)
    .executeTakeFirst();
  return row !== undefined;
}
