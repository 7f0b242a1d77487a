import type { Kysely, SelectQueryBuilder } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newAccountId, newPersonId } from '../../platform/kernel/ids.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import { endGrants } from '../keys/key-change.ts';
import { type Change, changeTopic } from '../trail/change-version.ts';
import { findCredential, MAX_MEMBERSHIPS, PASSWORD_PROVIDER } from './find-person.ts';
import { MAX_NAME_LENGTH, type MemberRole } from './person.ts';

export interface PeopleDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  /** Called after every change, so that this process forgets what it knows of people. */
  readonly onChanged?: (() => void) | undefined;
}

export type PeopleChange = Change;

/**
 * Runs a change of people. What it has counted or read is still true when it commits: that another administrator remains,
 * or that the bound is not reached.
 */
export async function changePeople<T>(
  deps: PeopleDeps,
  change: (change: PeopleChange) => Promise<T>,
): Promise<T> {
  const result = await changeTopic(deps, 'people', change);
  deps.onChanged?.();
  return result;
}

/** How many rows a query finds. */
export async function countRows<T extends keyof Tables>(
  query: SelectQueryBuilder<Tables, T, object>,
): Promise<number> {
  const { count } = await query
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Members of one tenant. */
export const MAX_MEMBERS = 500;

export interface NewPerson {
  /** By default, a new one. */
  readonly id?: string;
  /** In lower case. */
  readonly email: string;
  readonly name: string;
  /** Null for a person who signs in with the identity provider only. */
  readonly passwordHash: string | null;
  readonly isOperator: boolean;
  /** Whether an operator or the identity provider vouches that the address is the person's own. */
  readonly isProved: boolean;
  readonly memberships: readonly Omit<NewMembership, 'personId'>[];
}

export const WITHOUT_RIGHTS = { isOperator: false, memberships: [] };

/**
 * Creates a person. One who has proved the address replaces an unproved person who has it, and gets its memberships, which
 * were meant for the owner of the address. Rejects with `conflict` if the address is taken otherwise.
 */
export async function insertPerson(
  change: PeopleChange,
  person: NewPerson,
  actor: string | null,
): Promise<string> {
  const { email, name, isOperator, isProved } = person;
  const earlier = await findCredential(change.db, email);
  if (earlier && (earlier.isProved || !isProved)) throw alreadyExists(email);
  const inherited = earlier ? await deleteUnproved(change, earlier.personId, actor) : [];
  const id = await insertUser(change, person);
  const replaced = earlier && { replaces: earlier.personId };
  const details = { email, name, isOperator, isProved, ...replaced };
  await change.append(actor ?? id, 'person.created', id, { details });
  const chosen = new Set(person.memberships.map(({ tenantId }) => tenantId));
  const kept = inherited.filter(({ tenantId }) => !chosen.has(tenantId));
  for (const membership of [...person.memberships, ...kept].slice(0, MAX_MEMBERSHIPS)) {
    await insertMembership(change, { ...membership, personId: id }, actor ?? id);
  }
  return id;
}

const alreadyExists = (email: string): GatewayError =>
  new GatewayError('conflict', `A person with the e-mail address ${email} already exists.`);

/** Deletes an unproved person, with its password, sessions and grants, and returns its memberships. */
async function deleteUnproved(
  change: PeopleChange,
  personId: string,
  actor: string | null,
): Promise<NewPerson['memberships']> {
  const { db } = change;
  const memberships = await db
    .selectFrom('memberships')
    .select(['tenant_id as tenantId', 'role'])
    .where('person_id', '=', personId)
    .orderBy('created_at_ms')
    .execute();
  await endGrants(change, { personIds: [personId] }, actor ?? 'oidc');
  await db.deleteFrom('people_users').where('id', '=', personId).execute();
  return memberships;
}

async function insertUser(change: PeopleChange, person: NewPerson): Promise<string> {
  const { id = newPersonId(), email, name, isOperator, isProved, passwordHash } = person;
  const now = new Date(change.nowMs).toISOString();
  const times = { created_at: now, updated_at: now };
  const flags = { email_verified: isProved ? 1 : 0, is_operator: isOperator ? 1 : 0 };
  const { numInsertedOrUpdatedRows } = await change.db
    .insertInto('people_users')
    .values({ id, name, email, image: null, ...times, ...flags })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirst();
  // The identity provider has created the person meanwhile.
  if (!numInsertedOrUpdatedRows) throw alreadyExists(email);
  if (passwordHash !== null) await writePassword(change, id, passwordHash);
  return id;
}

/**
 * Replaces an unproved person by the one whom the identity provider knows by the address, without a password. Does nothing
 * for an address that is free or proved.
 */
export async function proveAddress(
  deps: PeopleDeps,
  identity: { readonly email: string; readonly name: string },
): Promise<void> {
  const email = identity.email.toLowerCase();
  const name = identity.name.trim().slice(0, MAX_NAME_LENGTH) || email;
  const isUnproved = async ({ db }: Pick<PeopleDeps, 'db'>) =>
    (await findCredential(db, email))?.isProved === false;
  if (!(await runQuery(() => isUnproved(deps)))) return;
  await changePeople(deps, async (change) => {
    if (!(await isUnproved(change))) return;
    const proved = { ...WITHOUT_RIGHTS, email, name, passwordHash: null, isProved: true };
    await insertPerson(change, proved, null);
  });
}

/** Replaces the password of a person, or gives a first one to a person who has none. */
export async function writePassword(
  { db, nowMs }: PeopleChange,
  personId: string,
  hash: string,
): Promise<void> {
  const values = { password: hash, updated_at: new Date(nowMs).toISOString() };
  const { numUpdatedRows } = await db
    .updateTable('people_accounts')
    .set(values)
    .where('user_id', '=', personId)
    .where('provider_id', '=', PASSWORD_PROVIDER)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return;
  await db
    .insertInto('people_accounts')
    .values({
      ...values,
      id: newAccountId(),
      account_id: personId,
      provider_id: PASSWORD_PROVIDER,
      user_id: personId,
      created_at: values.updated_at,
    })
    .execute();
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
  const memberships = db.selectFrom('memberships').where('person_id', '=', personId);
  if ((await countRows(memberships)) >= MAX_MEMBERSHIPS) {
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
  await append(actor, 'member.added', personId, { tenantId, details: { role } });
}

/** Members of a tenant. */
export const countMembers = (db: Kysely<Tables>, tenantId: string): Promise<number> =>
  countRows(db.selectFrom('memberships').where('tenant_id', '=', tenantId));
