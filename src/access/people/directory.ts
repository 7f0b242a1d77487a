import { runQuery } from '../../platform/database/database-error.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import { endGrants } from '../keys/key-change.ts';
import {
  changePeople,
  countRows,
  insertPerson,
  type PeopleChange,
  type PeopleDeps,
  WITHOUT_RIGHTS,
  writePassword,
} from './change-people.ts';
import type { PasswordHasher } from './passwords.ts';
import { assertPassword, type MemberRole, newPassword, normalEmail, normalName } from './person.ts';
import { deleteSessions } from './sessions.ts';

export interface DirectoryDeps extends PeopleDeps {
  readonly hasher: PasswordHasher;
}

/** All people, in the order of their creation. `nextCursor` continues after the last of this page; null on the last page. */
export async function listPeople(
  { db }: PeopleDeps,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
) {
  const all = db
    .selectFrom('people_users')
    .select((query) => [
      'id',
      'email',
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
    /** Whether an operator or the identity provider has proved the address. */
    isProved: Boolean(row.email_verified),
    tenants: row.tenants ?? 0,
    createdAtMs: new Date(row.created_at).getTime(),
  }));
  return { people, nextCursor: rows.length > limit ? (people.at(-1)?.id ?? null) : null };
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

const DEFAULT_EMAIL = 'admin@localhost';

export interface FirstAdministrator {
  /** The tenant of which it is an administrator. */
  readonly tenantId: string;
  readonly personId: string;
  readonly email: string | undefined;
  readonly password: Secret;
}

/**
 * Creates the first administrator, an operator, unless another person exists. Of several processes that start at once, one
 * creates it. Returns its e-mail address if this one did, also in an earlier attempt whose outcome was lost with the
 * connection to the database.
 */
export async function createFirstAdministrator(
  deps: DirectoryDeps,
  { tenantId, personId, email: chosenEmail = DEFAULT_EMAIL, password }: FirstAdministrator,
): Promise<string | null> {
  const existing = await runQuery(() => findAnyPerson(deps));
  if (existing && existing.id !== personId) return null;
  const email = normalEmail(chosenEmail);
  if (existing) return email;
  const memberships = [{ tenantId, role: 'admin' as const }];
  const rights = { isOperator: true, isProved: true, memberships };
  const passwordHash = await deps.hasher.hash(password);
  const person = { id: personId, email, name: 'Administrator', passwordHash, ...rights };
  return changePeople(deps, async (change) => {
    if (await findAnyPerson(change)) return null;
    await insertPerson(change, person, 'start');
    return email;
  });
}

const findAnyPerson = ({ db }: Pick<DirectoryDeps, 'db'>) =>
  db.selectFrom('people_users').select('id').limit(1).executeTakeFirst();

/** Changes the name of a person. Rejects with `invalid_arguments` for an empty or long one. */
export async function rename(deps: PeopleDeps, personId: string, text: string): Promise<void> {
  const name = normalName(text);
  return changePeople(deps, async ({ db, nowMs, append }) => {
    await db
      .updateTable('people_users')
      .set({ name, updated_at: new Date(nowMs).toISOString() })
      .where('id', '=', personId)
      .execute();
    await append(personId, 'person.renamed', personId, { details: { name } });
  });
}

/**
 * Gives a person a new random password, which is returned and stored nowhere, and ends its sessions and, if asked to, what
 * it has connected. The operator, who hands it over, vouches for the address. Rejects with `not_found` for an unknown person.
 */
export async function resetPassword(
  deps: DirectoryDeps,
  { personId, actor, endsApps = false }: { personId: string; actor: string; endsApps?: boolean },
): Promise<Secret> {
  const password = newPassword();
  const passwordHash = await deps.hasher.hash(password);
  await changePeople(deps, async (change) => {
    const { email, name, isProved } = await readPerson(change, personId);
    let subjectId = personId;
    if (isProved) {
      await writePassword(change, personId, passwordHash);
      await deleteSessions(change.db, personId);
      if (endsApps) await endGrants(change, { personIds: [personId] }, actor);
    } else {
      // Another person then has the address, and the memberships of this one.
      const proved = { ...WITHOUT_RIGHTS, email, name, passwordHash, isProved: true };
      subjectId = await insertPerson(change, proved, actor);
    }
    await change.append(actor, 'person.password_reset', subjectId);
  });
  return password;
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
    if (isOperator && !before.isProved) throw unproved(before.email);
    const operators = change.db.selectFrom('people_users').where('is_operator', '=', 1);
    if (!isOperator && (await countRows(operators)) <= 1) throw lastOperator();
    await change.db
      .updateTable('people_users')
      .set({ is_operator: isOperator ? 1 : 0 })
      .where('id', '=', personId)
      .execute();
    if (!isOperator) await endGrants(change, { personIds: [personId] }, actor);
    const action = isOperator ? 'person.operator_granted' : 'person.operator_revoked';
    await change.append(actor, action, personId);
  });
}

async function readPerson({ db }: PeopleChange, personId: string) {
  const row = await db
    .selectFrom('people_users')
    .select(['email', 'name', 'is_operator', 'email_verified'])
    .where('id', '=', personId)
    .executeTakeFirst();
  if (!row) throw new GatewayError('not_found', 'This person does not exist.');
  const { email, name, is_operator, email_verified } = row;
  return { email, name, isOperator: is_operator !== 0, isProved: Boolean(email_verified) };
}

const unproved = (email: string): GatewayError =>
  new GatewayError(
    'conflict',
    `The address ${email} is unproved. Reset the password of this person first, and hand the new one to the owner of the address.`,
  );

const lastOperator = (): GatewayError =>
  new GatewayError('conflict', 'This is the last operator. Make another person an operator first.');
