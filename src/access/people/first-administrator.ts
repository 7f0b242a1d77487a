import { runQuery } from '../../platform/database/database-error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import { changePeople } from './change-people.ts';
import type { DirectoryDeps } from './directory.ts';
import { newPassword, normalEmail } from './person-fields.ts';
import { insertPerson } from './write-person.ts';

const DEFAULT_EMAIL = 'admin@localhost';

export interface FirstAdministrator {
  /** The tenant of which it is an administrator. */
  readonly tenantId: string;
  readonly email: string | undefined;
  readonly password: Secret | undefined;
}

/** How the first administrator signs in. */
export interface Credentials {
  readonly email: string;
  /** Null if the settings chose it. */
  readonly password: Secret | null;
}

/**
 * Creates the first administrator, an operator, unless a person exists. Of several processes that start at once, one creates
 * it. Returns its credentials if this one did.
 */
export async function createFirstAdministrator(
  deps: DirectoryDeps,
  { tenantId, email: chosenEmail, password: chosen }: FirstAdministrator,
): Promise<Credentials | null> {
  // Hashing loads a library, which later starts do not need.
  if (await runQuery(() => hasPeople(deps))) return null;
  const email = normalEmail(chosenEmail ?? DEFAULT_EMAIL);
  const password = chosen ?? newPassword();
  const passwordHash = await deps.hasher.hash(password);
  const isCreated = await changePeople(deps, async (change) => {
    if (await hasPeople(change)) return false;
    const person = {
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
  return isCreated ? { email, password: chosen ? null : password } : null;
}

async function hasPeople({ db }: Pick<DirectoryDeps, 'db'>): Promise<boolean> {
  const row = await db.selectFrom('people_users').select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}
