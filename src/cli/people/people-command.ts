import { Command, Option } from 'commander';
import type { PeopleDeps } from '../../access/people/change-people.ts';
import {
  createPerson,
  findPersonId,
  listPeople,
  resetPassword,
} from '../../access/people/directory.ts';
import { createPasswordHasher } from '../../access/people/password-hasher.ts';
import type { MemberRole } from '../../access/people/person.ts';
import { newPassword, normalEmail } from '../../access/people/person-fields.ts';
import { createTenantStore } from '../../access/tenants/tenant-store.ts';
import type { Database } from '../../platform/database/database.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import type { JsonOption } from '../shared/json-option.ts';
import { formatTable } from '../shared/table.ts';
import { withDatabase } from '../shared/with-database.ts';
import { writeLines } from '../shared/write-lines.ts';

interface CreateOptions {
  readonly name?: string;
  readonly tenant?: string;
  readonly role: MemberRole;
  readonly operator?: true;
  readonly json?: true;
}

export function peopleCommand(): Command {
  const people = new Command('people').description('Manage the people who use the dashboard.');
  people
    .command('list')
    .description('List all people.')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', '\nExample: tool-gateway people list')
    .action(list);
  people
    .command('create')
    .description(
      'Create a person and print only the password on standard output. It is never shown again.',
    )
    .argument('<email>', 'e-mail address to sign in with')
    .option('--name <text>', 'name; by default, the e-mail address')
    .option('--tenant <slug>', 'tenant to belong to; created if it does not exist')
    .addOption(
      new Option('--role <role>', 'what the person may do in the tenant')
        .choices(['admin', 'viewer'])
        .default('viewer'),
    )
    .option('--operator', 'administer the gateway and every tenant')
    .option('--json', 'print the person with its password as JSON')
    .addHelpText(
      'after',
      '\nExample: tool-gateway people create ann@example.com --tenant acme --role admin',
    )
    .action(create);
  people
    .command('reset-password')
    .description(
      'Replace a password and print only the new one on standard output. It is never shown again. All sessions of the person end.',
    )
    .argument('<email>', 'e-mail address of the person')
    .addHelpText('after', '\nExample: tool-gateway people reset-password ann@example.com')
    .action(reset);
  return people;
}

const ACTOR = 'cli';
const PAGE = 100;

const depsOf = (db: Database['db']) => ({
  db,
  clock: systemClock,
  hasher: createPasswordHasher(),
});

async function list({ json }: JsonOption): Promise<void> {
  await withDatabase('read', async ({ db }) => {
    if (json) return writeLines(toLines(everyone(depsOf(db))));
    const rows: string[][] = [];
    for await (const { id, email, name, isOperator, isProved, tenants } of everyone(depsOf(db))) {
      rows.push([id, email, name, yesOrNo(isOperator), String(tenants), yesOrNo(isProved)]);
    }
    process.stdout.write(
      formatTable(['ID', 'E-MAIL', 'NAME', 'OPERATOR', 'TENANTS', 'PROVED'], rows),
    );
  });
}

const yesOrNo = (value: boolean): string => (value ? 'yes' : 'no');

async function* toLines(people: ReturnType<typeof everyone>): AsyncGenerator<string> {
  for await (const { createdAtMs, ...person } of people) {
    yield `${JSON.stringify({ ...person, createdAt: new Date(createdAtMs).toISOString() })}\n`;
  }
}

async function* everyone(deps: PeopleDeps) {
  let cursor: string | undefined;
  do {
    const page = await listPeople(deps, { cursor, limit: PAGE });
    yield* page.people;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

async function create(email: string, options: CreateOptions): Promise<void> {
  const { name = email, tenant: slug, role, operator: isOperator = false, json } = options;
  if (slug === undefined && !isOperator) {
    throw new StartupError('Give --tenant, --operator or both: the person could see nothing.');
  }
  await withDatabase('create', async ({ db }) => {
    const tenants = createTenantStore({ db, clock: systemClock, actor: ACTOR });
    const tenant = slug === undefined ? undefined : await tenants.ensure(slug);
    const password = newPassword();
    const id = await createPerson(depsOf(db), {
      email,
      name,
      password,
      isOperator,
      memberships: tenant ? [{ tenantId: tenant.id, role }] : [],
      actor: ACTOR,
    });
    const text = password.reveal();
    process.stdout.write(
      json ? `${JSON.stringify({ id, email: normalEmail(email), password: text })}\n` : `${text}\n`,
    );
  });
}

async function reset(email: string): Promise<void> {
  await withDatabase('change', async ({ db }) => {
    const deps = depsOf(db);
    const personId = await findPersonId(deps, email);
    const password = await resetPassword(deps, { personId, actor: ACTOR });
    process.stdout.write(`${password.reveal()}\n`);
  });
}
