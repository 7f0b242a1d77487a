import { Command, type OptionValues } from 'commander';
import { StartupError } from '../../platform/kernel/error.ts';
import {
  REGISTRATION_VIEW,
  type RegistrationView,
} from '../../registrations/registration-views.ts';
import { readDocument } from '../../registrations/store/documents.ts';
import { findRegistration } from '../../registrations/store/registration-record.ts';
import { addOperation, type OperationRun, OWN_ELSEWHERE } from '../operations/add-operation.ts';
import { isHere, onlyHereError } from '../operations/with-operations.ts';
import { printList } from '../shared/print-list.ts';
import { readPages } from '../shared/read-pages.ts';
import { REGISTRATIONS, type RegistrationTable } from './registration-feature.ts';

const LIST = 'GET /tenants/:tenant/registrations';
const SHOW = 'GET /tenants/:tenant/registrations/:id';
const REPORT = 'GET /tenants/:tenant/registrations/:id/report';

export function registrationsCommand(): Command {
  const registrations = new Command('registrations').description(
    'Show the APIs that tenants have registered.',
  );
  addOperation(registrations, REGISTRATIONS, {
    place: LIST,
    ofAll: 'GET /registrations',
    description: 'List registered APIs, oldest first.',
    tenant: `only those of this tenant; ${OWN_ELSEWHERE}`,
    only: [],
    addOptions: (command) => command.option('--json', 'print one JSON object per line'),
    run: listRegistrations,
  });
  addOperation(registrations, REGISTRATIONS, {
    place: SHOW,
    description: 'Print a registration as JSON, with its report.',
    example: 'reg_01KA3Z2V8QK6D4T0N9XJ5W7M1C',
    members: { id: { help: 'id of the registration, as shown by registrations list' } },
    addOptions: (command) =>
      command.option('--document', 'print its stored description instead; on this machine only'),
    check: assertDocumentFits,
    run: showRegistration,
  });
  return registrations;
}

type RegistrationRun<P extends keyof RegistrationTable> = OperationRun<RegistrationTable, P>;

/** A response has at most 16 MiB, and a registration up to 2,000 tools. */
const PAGE = 50;

const HEADING = ['ID', 'TENANT', 'NAME', 'TOOLS', 'BASE URL'];

function listRegistrations({ options, send }: RegistrationRun<typeof LIST>): Promise<void> {
  const found = readPages(async (page) => {
    const { registrations, nextCursor } = await send({ ...page, limit: PAGE });
    return { registrations: registrations.map(viewOf), nextCursor };
  }, 'registrations');
  return printList(found, options, HEADING, toRow);
}

/** A registration as `--json` prints it (docs/contract.md#command-line). */
const viewOf = (registration: RegistrationView): RegistrationView => {
  // Calls are counted by a running gateway only.
  const { calls: _calls, failures: _failures, ...members } = REGISTRATION_VIEW.properties;
  const names = Object.keys(members);
  return Object.fromEntries(
    names.map((name) => [name, Reflect.get(registration, name)]),
  ) as RegistrationView;
};

const toRow = (registration: RegistrationView): string[] => [
  registration.id,
  registration.tenant,
  registration.name,
  String(registration.toolIds.length),
  registration.baseUrl,
];

function assertDocumentFits(options: OptionValues): void {
  if (!options['document']) return;
  if (!isHere(options)) throw onlyHereError('registrations show --document');
  if (!process.stdout.isTTY) return;
  throw new StartupError(
    'A description may contain what a terminal obeys. Redirect the output to a file.',
  );
}

async function showRegistration({
  runner,
  input,
  options,
  send,
}: RegistrationRun<typeof SHOW>): Promise<void> {
  const shown = await send();
  if (options['document']) {
    return runner.either({
      here: async ({ database: { db } }) => {
        const { documentId } = await findRegistration(db, { id: shown.id });
        process.stdout.write(await readDocument(db, documentId));
      },
      there: async () => undefined,
    });
  }
  const { report } = await runner.run(REPORT, { ...input });
  const { revision, origins, tools } = shown;
  const descriptions = Object.fromEntries(
    tools.flatMap(({ name, ownText }) => (ownText === null ? [] : [[name, ownText]])),
  );
  const text = { ...viewOf(shown), revision, origins, descriptions, report };
  process.stdout.write(`${JSON.stringify(text, null, 2)}\n`);
}
