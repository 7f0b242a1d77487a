import { Command, InvalidArgumentError, Option, type OptionValues } from 'commander';
import type { Static } from 'typebox';
import { GatewayError, StartupError } from '../../platform/kernel/error.ts';
import { commandLine } from '../../platform/kernel/log-lines.ts';
import {
  type OWNED_REGISTRATION,
  REGISTRATION_VIEW,
} from '../../registrations/registration-views.ts';
import { readDocument } from '../../registrations/store/documents.ts';
import { findVersions } from '../../registrations/store/registration-record.ts';
import { addOperation, type OperationRun, OWN_ELSEWHERE } from '../operations/add-operation.ts';
import type { OperationRunner } from '../operations/operation-runner.ts';
import { isHere, onlyHereError } from '../operations/with-operations.ts';
import { count } from '../shared/output.ts';
import { printList } from '../shared/print-list.ts';
import { readPages } from '../shared/read-pages.ts';
import { REGISTRATIONS, type RegistrationTable } from './registration-feature.ts';

const EXAMPLE_ID = 'reg_01KA3Z2V8QK6D4T0N9XJ5W7M1C';
const ID = { id: { help: 'id of the registration, as shown by registrations list' } };

const LIST = 'GET /tenants/:tenant/registrations';
const SHOW = 'GET /tenants/:tenant/registrations/:id';
const REPORT = 'GET /tenants/:tenant/registrations/:id/report';
const APPROVE = 'POST /approvals/:id/approve';
const REJECT = 'POST /approvals/:id/reject';

export function registrationsCommand(): Command {
  const registrations = new Command('registrations').description(
    'Show the APIs that tenants have registered, and approve those that are to be public.',
  );
  addOperation(registrations, REGISTRATIONS, {
    place: LIST,
    ofAll: 'GET /registrations',
    description: 'List registered APIs, oldest first.',
    example: '--awaiting',
    tenant: `only those of this tenant; ${OWN_ELSEWHERE}`,
    only: [],
    addOptions: (command) =>
      command
        .addOption(
          new Option(
            '--awaiting',
            'only those that wait for approval; implies --all-tenants',
          ).implies({
            allTenants: true,
          }),
        )
        .option('--json', 'print one JSON object per line'),
    run: listRegistrations,
  });
  addOperation(registrations, REGISTRATIONS, {
    place: SHOW,
    description:
      'Print a registration as JSON, with its report; of several versions, the one that waits.',
    example: EXAMPLE_ID,
    members: ID,
    addOptions: (command) =>
      command.option('--document', 'print its stored description instead; on this machine only'),
    check: assertDocumentFits,
    run: showRegistration,
  });
  addOperation(registrations, REGISTRATIONS, {
    place: APPROVE,
    description: 'Make an API available to all tenants. Running gateways follow within a second.',
    example: `${EXAMPLE_ID} --reviewed 1`,
    members: ID,
    addOptions: (command) =>
      command.option(
        '--reviewed <revision>',
        'approve no other revision, as shown by registrations show',
        readRevision,
      ),
    run: approve,
  });
  addOperation(registrations, REGISTRATIONS, {
    place: REJECT,
    description:
      'Refuse to make an API public. One that was private before stays so; another is deleted.',
    example: EXAMPLE_ID,
    only: [],
    members: ID,
    run: reject,
  });
  return registrations;
}

function readRevision(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

type RegistrationRun<P extends keyof RegistrationTable> = OperationRun<RegistrationTable, P>;

/** A response has at most 16 MiB, and a registration up to 2,000 tools. */
const PAGE = 50;

const HEADING = ['ID', 'TENANT', 'NAME', 'STATUS', 'VISIBILITY', 'TOOLS', 'BASE URL'];

function listRegistrations({ options, send }: RegistrationRun<typeof LIST>): Promise<void> {
  const { awaiting } = options;
  const found = readPages(async (page) => {
    const { registrations, nextCursor } = await send({ ...page, limit: PAGE, awaiting });
    return { registrations: registrations.map(viewOf), nextCursor };
  }, 'registrations');
  return printList(found, options, HEADING, toRow);
}

type Registration = Static<typeof OWNED_REGISTRATION>;

/** A registration as `--json` prints it (docs/contract.md#command-line). */
const viewOf = (registration: Registration): Registration => {
  const names = ['id', 'tenant', ...Object.keys(REGISTRATION_VIEW.properties)];
  return Object.fromEntries(
    names.map((name) => [name, Reflect.get(registration, name)]),
  ) as Registration;
};

const toRow = (registration: Registration): string[] => [
  registration.id,
  registration.tenant,
  registration.name,
  registration.status,
  registration.visibility,
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

/**
 * Prints the latest version of a registration, the one that an approval takes into use, or its description as it is stored:
 * its address may serve another one to the operator who reviews it.
 */
async function showRegistration({
  runner,
  input,
  options,
  send,
}: RegistrationRun<typeof SHOW>): Promise<void> {
  const { id } = input;
  const shown = await advised(id, send());
  if (options['document']) return writeDocument(runner, id);
  const { report } = await runner.run(REPORT, { ...input });
  const { baseUrl, ...latest } = shown.latest;
  const view = viewOf({ ...shown, baseUrl, toolIds: shown.tools.map((tool) => tool.id) });
  const text = { ...view, revision: shown.revision, ...latest, report };
  process.stdout.write(`${JSON.stringify(text, null, 2)}\n`);
}

type Runner = OperationRunner<RegistrationTable>;

const writeDocument = ({ either }: Runner, id: string): Promise<void> =>
  either({
    here: async ({ database: { db } }) => {
      const { latest } = await findVersions(db, { id });
      process.stdout.write(await readDocument(db, latest.documentId));
    },
    there: async () => undefined,
  });

/** With a revision, no other one is approved: its tenant may change it during the review. */
async function approve({
  runner,
  input: { id },
  options: { reviewed },
}: RegistrationRun<typeof APPROVE>): Promise<void> {
  const sent = async () =>
    runner.run(APPROVE, { id, revision: reviewed ?? (await revisionOf(runner, id)) });
  const decided = await advised(id, sent(), reviewed);
  const tools = count(decided.toolIds.length, 'tool');
  process.stdout.write(
    `${describe(decided)} is public: gateways show its ${tools} to all tenants within a second.\n`,
  );
}

async function reject({ runner, input: { id } }: RegistrationRun<typeof REJECT>): Promise<void> {
  const sent = async () =>
    runner.run(REJECT, { id, revision: await revisionOf(runner, id), reason: '' });
  const decided = await advised(id, sent());
  // What was deleted is returned as it was.
  const isDeleted = decided.status === 'awaiting_approval';
  const end = isDeleted ? ' and deleted' : `; it stays ${decided.visibility} as before`;
  process.stdout.write(`${describe(decided)} was rejected${end}.\n`);
}

/** On this machine, also of what does not wait: the decision then says so. */
const revisionOf = async ({ run, either }: Runner, id: string): Promise<number> =>
  either({
    here: async () => (await run(SHOW, { id })).revision,
    there: async () => (await run('GET /approvals/:id', { id })).revision,
  });

const describe = ({ id, name, tenant }: Registration): string => `${id} ("${name}" of ${tenant})`;

/** Errors of this machine name the registration, and the command that lists those that wait. */
const advised = <T>(id: string, work: Promise<T>, reviewed?: number): Promise<T> =>
  work.catch((error: unknown) => {
    if (!(error instanceof GatewayError)) throw error;
    const isReviewed = error.code === 'conflict' && reviewed !== undefined;
    const advice = isReviewed ? REVIEW_AGAIN : ADVICE[error.code];
    throw advice ? new StartupError(`${advice.replace('<id>', id)} ${LIST_WAITING}`) : error;
  });

const LIST_WAITING = `To list those that wait, run: ${commandLine('registrations list --awaiting')}`;

const REVIEW_AGAIN =
  'The registration "<id>" was changed since that review, or does not wait any more. Review it again.';

const ADVICE: Readonly<Partial<Record<GatewayError['code'], string>>> = {
  not_found: 'There is no registration "<id>".',
  conflict: 'The registration "<id>" does not wait for approval.',
};
