import { Command, Option } from 'commander';
import {
  createPeopleOperations,
  type PeopleOperationsDeps,
} from '../../access/people/operations.ts';
import { createPasswordHasher } from '../../access/people/passwords.ts';
import { createDirectory } from '../../access/people/people.ts';
import { type MemberRole, normalEmail } from '../../access/people/person.ts';
import { GatewayError, StartupError } from '../../platform/kernel/error.ts';
import { systemClock as clock } from '../../platform/kernel/time.ts';
import { addList, addOperation, readPages } from '../operations/add-operation.ts';
import type { Feature, OperationRunner, OperationTable } from '../operations/operation-runner.ts';

/** The people and the tenants of a gateway. */
const PEOPLE: Feature<ReturnType<typeof createPeopleOperations>> = {
  declared: createPeopleOperations({} as PeopleOperationsDeps),
  open: ({ database: { db } }) =>
    createPeopleOperations({
      people: createDirectory({ db, clock, hasher: createPasswordHasher() }),
      adminUrl: undefined,
    }),
};

/** Creates the tenant unless it exists. If an API key may not, the next request for the tenant says so. */
export async function ensureTenant<Table extends OperationTable>(
  runner: OperationRunner<Table>,
  slug: string,
): Promise<void> {
  const { run } = await runner.also(PEOPLE);
  await run('POST /tenants', { slug }).catch((error: unknown) => {
    const mayExist =
      error instanceof GatewayError ? error.code === 'conflict' : error instanceof StartupError;
    if (!mayExist) throw error;
  });
}

export function tenantsCommand(): Command {
  const tenants = new Command('tenants').description(
    'Create and show the tenants, which own keys and audit records.',
  );
  addList(tenants, PEOPLE, {
    operation: 'GET /tenants',
    example: '--json',
    rows: (output) => output.tenants,
    columns: {
      SLUG: ({ slug }) => slug,
      NAME: ({ name }) => name,
      CREATED: ({ createdAt }) => createdAt,
      ID: ({ id }) => id,
    },
  });
  addOperation(tenants, PEOPLE, {
    operation: 'POST /tenants',
    example: 'acme --name "Acme Ltd."',
    createsDatabase: true,
    positional: ['slug'],
    print: (_nothing, { slug }) => `Created ${slug}.`,
  });
  return tenants;
}

export function peopleCommand(): Command {
  const people = new Command('people').description('Manage the people who use the dashboard.');
  addList(people, PEOPLE, {
    operation: 'GET /people',
    rows: (output) => output.people,
    columns: {
      ID: ({ id }) => id,
      'E-MAIL': ({ email }) => email,
      NAME: ({ name }) => name,
      OPERATOR: ({ isOperator }) => yesOrNo(isOperator),
      TENANTS: ({ tenants }) => String(tenants),
      PROVED: ({ isProved }) => yesOrNo(isProved),
    },
  });
  addOperation(people, PEOPLE, {
    operation: 'POST /people',
    description:
      'Create a person and print only the password on standard output. It is never shown again.',
    example: 'ann@example.com --tenant acme --role admin',
    createsDatabase: true,
    positional: ['email'],
    moreOptions: (command) =>
      command
        .option('--tenant <slug>', 'tenant to belong to; created if it does not exist')
        .addOption(
          new Option('--role <role>', 'what the person may do in the tenant')
            .choices(['admin', 'viewer'])
            .default('viewer'),
        ),
    run: async ({ runner, input, options, send }) => {
      const { tenant, role } = options as { tenant?: string; role: MemberRole };
      if (tenant === undefined) {
        if (input.isOperator) return send();
        throw new StartupError('Give --tenant, --operator or both: the person could see nothing.');
      }
      await ensureTenant(runner, tenant);
      return send({ memberships: [{ tenant, role }] });
    },
    print: ({ password }) => password,
  });
  addOperation(people, PEOPLE, {
    operation: 'POST /people/:person/password',
    description:
      'Replace a password and print only the new one on standard output. It is never shown again. All sessions of the person end.',
    example: 'ann@example.com',
    positional: ['email'],
    options: { email: { help: 'e-mail address of the person' } },
    run: async ({ runner, options, send }) => {
      const email = normalEmail(String(options['email']));
      const all = readPages(
        (page) => runner.run('GET /people', page),
        (output) => output.people,
      );
      for await (const person of all) {
        if (person.email === email) return send({ person: person.id });
      }
      throw new GatewayError('not_found', 'No person has this e-mail address.');
    },
    print: ({ password }) => password,
  });
  return people;
}

const yesOrNo = (value: boolean): string => (value ? 'yes' : 'no');
