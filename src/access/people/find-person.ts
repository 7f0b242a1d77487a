import { type Kysely, sql } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Person } from './person.ts';

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
}

/** The credential of the person who has this address, which is in lower case. */
export async function findCredential(
  db: Kysely<Tables>,
  address: string,
): Promise<Credential | undefined> {
  const row = await db
    .selectFrom('people_users')
    .leftJoin('people_accounts', (join) =>
      join
        .onRef('people_accounts.user_id', '=', 'people_users.id')
        .on('people_accounts.provider_id', '=', PASSWORD_PROVIDER),
    )
    .select(['people_users.id', 'email_verified', 'people_accounts.password'])
    .where('email', '=', address)
    .executeTakeFirst();
  return row && { personId: row.id, hash: row.password, isProved: Boolean(row.email_verified) };
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

/** Who made an invitation: of one that an API key made, the owner of the key. */
const INVITER = sql<string>`coalesce(by_key.owner, invitations.invited_by)`;

/** Names of the machine itself, which the command line and the start act for. */
const MACHINE = ['cli', 'start'];

/**
 * The valid invitations: they have not expired, were not withdrawn, and the person who made them may still invite. A removed
 * admin would otherwise come back by a link of its own. An API key may invite as long as it works and its owner has the role
 * that its scope needs.
 */
export const holdingInvitations = (db: Kysely<Tables>, nowMs: number) =>
  db
    .selectFrom('invitations')
    .leftJoin('api_keys as by_key', (join) =>
      join
        .onRef('by_key.id', '=', 'invitations.invited_by')
        .on('by_key.revoked_at_ms', 'is', null)
        .on(({ or, eb }) =>
          or([eb('by_key.expires_at_ms', 'is', null), eb('by_key.expires_at_ms', '>', nowMs)]),
        ),
    )
    .leftJoin('people_users as inviter', (join) => join.on('inviter.id', '=', INVITER))
    .leftJoin('memberships as administers', (join) =>
      join
        .onRef('administers.person_id', '=', 'inviter.id')
        .onRef('administers.tenant_id', '=', 'invitations.tenant_id')
        .on('administers.role', '=', 'admin'),
    )
    .where('invitations.expires_at_ms', '>', nowMs)
    .where('invitations.withdrawn_at_ms', 'is', null)
    .where(({ or, and, eb }) =>
      or([
        eb(INVITER, 'in', MACHINE),
        eb('inviter.is_operator', '=', 1),
        and([
          eb('administers.role', '=', 'admin'),
          or([eb('by_key.scope', 'is', null), eb('by_key.scope', '=', 'admin')]),
        ]),
      ]),
    );

/** Whether an invitation to this address is pending. */
export async function isInvited(
  db: Kysely<Tables>,
  email: string,
  nowMs: number,
): Promise<boolean> {
  const row = await holdingInvitations(db, nowMs)
    .select('invitations.id')
    .where('invitations.email', '=', email)
    .executeTakeFirst();
  return row !== undefined;
}
