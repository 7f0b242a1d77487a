import { runQuery } from '../../platform/database/database-error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import { changePeople } from './change-people.ts';
import type { DirectoryDeps } from './directory.ts';
import { normalEmail } from './person-fields.ts';
import { insertPerson } from './write-person.ts';

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
  // Only now: hashing loads a library, which later starts do not need.
  const passwordHash = await deps.hasher.hash(password);
  const isCreated = await changePeople(deps, async (change) => {
    if (await findAnyPerson(change)) return false;
    const person = {
      id: personId,
      email,
      name: 'Administrator',
      passwordHash,
      isOperator: true,
      isProved: true,
      memberships: [{ tenantId, role: 'admin' as const }],
    };
    await insertPerson(change, person, 'start');
    return true;
  });
  return isCreated ? email : null;
}

const findAnyPerson = ({ db }: Pick<DirectoryDeps, 'db'>) =>
  db.selectFrom('people_users').select('id').limit(1).executeTakeFirst();
