import { runQuery } from '../../platform/database/database-error.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import { changePeople, type PeopleChange, type PeopleDeps } from './change-people.ts';
import { ADDRESS, findCredentials } from './find-person.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { MemberRole } from './person.ts';
import { assertPassword, newPassword, normalEmail, normalName } from './person-fields.ts';
import { deleteSessions } from './person-sessions.ts';
import { insertPerson, writePassword } from './write-person.ts';

export interface DirectoryDeps extends PeopleDeps {
  readonly hasher: PasswordHasher;
}

/** A person as an operator sees it. */
export interface ListedPerson {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly isOperator: boolean;
  /** Whether an operator or the identity provider has proved the address. */
  readonly isProved: boolean;
  readonly tenants: number;
  readonly createdAtMs: number;
}

export interface PeoplePage {
  readonly people: readonly ListedPerson[];
  /** Continues after the last person of this page; null on the last page. */
  readonly nextCursor: string | null;
}

/** All people, in the order of their creation. */
export async function listPeople(
  { db }: PeopleDeps,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<PeoplePage> {
  const all = db
    .selectFrom('people_users')
    .select((query) => [
      'id',
      ADDRESS.as('email'),
      'name',
      'is_operator',
      'email_verified',
      'created_at',
      query
        .selectFrom('memberships')
        .whereRef('memberships.person_id', '=', 'people_users.id')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('tenants'),
    ])
    .orderBy('id')
    .limit(limit + 1);
  const rows = await runQuery(() =>
    (cursor === undefined ? all : all.where('id', '>', cursor)).execute(),
  );
  const people = rows.slice(0, limit).map((row) => ({
    id: row.id,
    email: row.email,
    name: row.name,
    isOperator: row.is_operator !== 0,
    isProved: Boolean(row.email_verified),
    tenants: row.tenants ?? 0,
    createdAtMs: new Date(row.created_at).getTime(),
  }));
  return { people, nextCursor: rows.length > limit ? (people.at(-1)?.id ?? null) : null };
}

/** Id of the person with this e-mail address, or of one who claims it. Rejects with `not_found`. */
export async function findPersonId({ db }: PeopleDeps, email: string): Promise<string> {
  const [found] = await runQuery(() => findCredentials(db, normalEmail(email)));
  if (found) return found.personId;
  throw new GatewayError('not_found', 'No person has this e-mail address.');
}

export interface PersonToCreate {
  readonly email: string;
  readonly name: string;
  readonly password: Secret;
  readonly isOperator: boolean;
  readonly memberships: readonly { readonly tenantId: string; readonly role: MemberRole }[];
  readonly actor: string;
}

/** Creates a person for whom the operator vouches, and returns its id. Rejects with `conflict` if the address is proved already. */
export async function createPerson(deps: DirectoryDeps, person: PersonToCreate): Promise<string> {
  const { isOperator, memberships, actor } = person;
  const [email, name] = [normalEmail(person.email), normalName(person.name)];
  assertPassword(person.password);
  const passwordHash = await deps.hasher.hash(person.password);
  const row = { email, name, passwordHash, isOperator, isProved: true, memberships };
  return changePeople(deps, (change) => insertPerson(change, row, actor));
}

/**
 * Gives a person a new random password, which is returned and stored nowhere, and ends its sessions. The operator, who hands
 * it over, vouches for the address. Rejects with `not_found` for an unknown person.
 */
export async function resetPassword(
  deps: DirectoryDeps,
  { personId, actor }: { personId: string; actor: string },
): Promise<Secret> {
  const password = newPassword();
  const hash = await deps.hasher.hash(password);
  await changePeople(deps, async (change) => {
    const subjectId = await replacePassword(change, { personId, hash, actor });
    await change.append({
      tenantId: null,
      actor,
      action: 'person.password_reset',
      subjectId,
      details: {},
    });
  });
  return password;
}

/** Returns the id of the person who then has the password: another one, if nobody had proved the address. */
async function replacePassword(
  change: PeopleChange,
  { personId, hash, actor }: { personId: string; hash: string; actor: string },
): Promise<string> {
  const { email, name, isProved } = await readPerson(change, personId);
  if (!isProved) {
    const rights = { isOperator: false, isProved: true, memberships: [] };
    return insertPerson(change, { email, name, passwordHash: hash, ...rights }, actor);
  }
  await writePassword(change, personId, hash);
  await deleteSessions(change.db, personId);
  return personId;
}

/**
 * Makes a person an operator, or no longer. Rejects with `conflict` for the last one and for an unproved address, with
 * `not_found` for an unknown person.
 */
export function setOperator(
  deps: PeopleDeps,
  { personId, isOperator, actor }: { personId: string; isOperator: boolean; actor: string },
): Promise<void> {
  return changePeople(deps, async (change) => {
    const before = await readPerson(change, personId);
    if (before.isOperator === isOperator) return;
    if (isOperator) assertProved(before);
    else await assertOtherOperator(change);
    await change.db
      .updateTable('people_users')
      .set({ is_operator: isOperator ? 1 : 0 })
      .where('id', '=', personId)
      .execute();
    await change.append({
      tenantId: null,
      actor,
      action: isOperator ? 'person.operator_granted' : 'person.operator_revoked',
      subjectId: personId,
      details: {},
    });
  });
}

async function readPerson(
  { db }: PeopleChange,
  personId: string,
): Promise<{ email: string; name: string; isOperator: boolean; isProved: boolean }> {
  const row = await db
    .selectFrom('people_users')
    .select([ADDRESS.as('email'), 'name', 'is_operator', 'email_verified'])
    .where('id', '=', personId)
    .executeTakeFirst();
  if (!row) throw new GatewayError('not_found', 'This person does not exist.');
  const { email, name, is_operator, email_verified } = row;
  return { email, name, isOperator: is_operator !== 0, isProved: Boolean(email_verified) };
}

function assertProved({ email, isProved }: { email: string; isProved: boolean }): void {
  if (isProved) return;
  throw new GatewayError(
    'conflict',
    `The address ${email} is unproved. Reset the password of this person first, and hand the new one to the owner of the address.`,
  );
}

async function assertOtherOperator({ db }: PeopleChange): Promise<void> {
  const { count } = await db
    .selectFrom('people_users')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('is_operator', '=', 1)
    .executeTakeFirstOrThrow();
  if (count > 1) return;
  throw new GatewayError(
    'conflict',
    'This is the last operator. Make another person an operator first.',
  );
}
