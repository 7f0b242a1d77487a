import { Command, Option } from 'commander';
import { type MemberRole, normalEmail } from '../../access/people/person.ts';
import { GatewayError, StartupError } from '../../platform/kernel/error.ts';
import { addOperation, type OperationRun } from '../operations/add-operation.ts';
import type { OperationRunner, OutputOf } from '../operations/operation-runner.ts';
import type { JsonOption } from '../shared/options.ts';
import { jsonLines } from '../shared/output.ts';
import { printList } from '../shared/print-list.ts';
import { readPages } from '../shared/read-pages.ts';
import { ensureTenant, PEOPLE, type PeopleTable } from './people-feature.ts';

export function peopleCommand(): Command {
  const people = new Command('people').description('Manage the people who use the dashboard.');
  addOperation(people, PEOPLE, {
    place: 'GET /people',
    description: 'List all people.',
    only: [],
    addOptions: (command) => command.option('--json', 'print one JSON object per line'),
    run: listPeople,
  });
  addOperation(people, PEOPLE, {
    place: 'POST /people',
    description:
      'Create a person and print only the password on standard output. It is never shown again.',
    example: 'ann@example.com --tenant acme --role admin',
    access: 'create',
    words: ['email'],
    only: ['name'],
    members: {
      email: { help: 'e-mail address to sign in with' },
      name: { help: 'name; by default, the e-mail address' },
    },
    addOptions: (command) =>
      command
        .option('--tenant <slug>', 'tenant to belong to; created if it does not exist')
        .addOption(
          new Option('--role <role>', 'what the person may do in the tenant')
            .choices(['admin', 'viewer'])
            .default('viewer'),
        )
        .option('--operator', 'administer the gateway and every tenant')
        .option('--json', 'print the person with its password as JSON'),
    check: ({ tenant, operator }) => {
      if (tenant !== undefined || operator) return;
      throw new StartupError('Give --tenant, --operator or both: the person could see nothing.');
    },
    run: createPerson,
  });
  addOperation(people, PEOPLE, {
    place: RESET,
    description:
      'Replace a password and print only the new one on standard output. It is never shown again. All sessions of the person end.',
    example: 'ann@example.com',
    words: ['email'],
    members: { email: { help: 'e-mail address of the person' } },
    only: [],
    addOptions: (command) =>
      command.option('--end-apps', 'end the apps that the person has connected, too'),
    run: resetPassword,
  });
  return people;
}

interface CreateOptions extends JsonOption {
  readonly tenant?: string;
  readonly role: MemberRole;
  readonly operator?: true;
}

const RESET = 'POST /people/:person/password';

type Person = OutputOf<PeopleTable, 'GET /people'>['people'][number];
type PeopleRun<P extends keyof PeopleTable> = OperationRun<PeopleTable, P>;

const allPeople = ({ run }: OperationRunner<PeopleTable>): AsyncIterable<Person> =>
  readPages((page) => run('GET /people', page), 'people');

const listPeople = ({ runner, options }: PeopleRun<'GET /people'>): Promise<void> =>
  printList(
    allPeople(runner),
    options,
    ['ID', 'E-MAIL', 'NAME', 'OPERATOR', 'TENANTS', 'PROVED'],
    ({ id, email, name, isOperator, isProved, tenants }) => [
      ...[id, email, name, yesOrNo(isOperator), String(tenants), yesOrNo(isProved)],
    ],
  );

const yesOrNo = (value: boolean): string => (value ? 'yes' : 'no');

async function createPerson({ runner, options, send }: PeopleRun<'POST /people'>): Promise<void> {
  const { tenant, role, operator = false, json } = options as CreateOptions;
  if (tenant !== undefined) await ensureTenant(runner, tenant);
  const memberships = tenant === undefined ? [] : [{ tenant, role }];
  const person = await send({ isOperator: operator, memberships });
  process.stdout.write(json ? jsonLines([person]) : `${person.password}\n`);
}

async function resetPassword({ runner, options }: PeopleRun<typeof RESET>): Promise<void> {
  const email = normalEmail(String(options['email']));
  const person = (await Array.fromAsync(allPeople(runner))).find((each) => each.email === email);
  if (!person) throw new GatewayError('not_found', 'No person has this e-mail address.');
  const endsApps = options['endApps'] === true;
  const { password } = await runner.run(RESET, { person: person.id, endsApps });
  process.stdout.write(`${password}\n`);
}
