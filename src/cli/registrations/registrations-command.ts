import { Command, InvalidArgumentError } from 'commander';
import { readSettings } from '../../platform/config/settings.ts';
import type { Database } from '../../platform/database/database.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { commandLine } from '../../platform/kernel/command-line.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { openVault } from '../../platform/vault/vault.ts';
import { toRegistrationView } from '../../registrations/registration-views.ts';
import { readDocument } from '../../registrations/store/documents.ts';
import type { RegistrationRecord } from '../../registrations/store/registration-record.ts';
import { findVersions } from '../../registrations/store/registration-record.ts';
import {
  createRegistrationStore,
  type RegistrationPage,
  type RegistrationStore,
} from '../../registrations/store/registration-store.ts';
import { copyVersion } from '../../registrations/store/versions.ts';
import { onlyHere } from '../operations/with-operations.ts';
import { count } from '../shared/count.ts';
import { requireTenant } from '../shared/require-tenant.ts';
import { formatTable } from '../shared/table.ts';
import { type DatabaseAccess, withDatabase } from '../shared/with-database.ts';
import { writeLines } from '../shared/write-lines.ts';

const EXAMPLE_ID = 'reg_01KA3Z2V8QK6D4T0N9XJ5W7M1C';

export function registrationsCommand(): Command {
  const registrations = new Command('registrations').description(
    'Show the APIs that tenants have registered, and approve those that are to be public.',
  );
  registrations
    .command('list')
    .description('List registered APIs, oldest first.')
    .option('--tenant <slug>', 'only those of this tenant')
    .option('--awaiting', 'only those that wait for approval')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', '\nExample: tool-gateway registrations list --awaiting')
    .action(listRegistrations);
  registrations
    .command('show')
    .description(
      'Print a registration as JSON, with its report; of several versions, the one that waits.',
    )
    .argument('<id>', 'id of the registration, as shown by registrations list')
    .option('--document', 'print its stored description instead')
    .addHelpText('after', `\nExample: tool-gateway registrations show ${EXAMPLE_ID}`)
    .action(showRegistration);
  registrations
    .command('approve')
    .description('Make an API available to all tenants. Running gateways follow within a second.')
    .argument('<id>', 'id of the registration, as shown by registrations list')
    .option(
      '--reviewed <revision>',
      'approve no other revision, as shown by registrations show',
      readRevision,
    )
    .addHelpText('after', EXAMPLE)
    .action((id: string, { reviewed }: { reviewed?: number }) =>
      decideRegistration(id, 'approve', reviewed),
    );
  registrations
    .command('reject')
    .description(
      'Refuse to make an API public. One that was private before stays so; another is deleted.',
    )
    .argument('<id>', 'id of the registration, as shown by registrations list')
    .addHelpText('after', `\nExample: tool-gateway registrations reject ${EXAMPLE_ID}`)
    .action((id: string) => decideRegistration(id, 'reject'));
  return onlyHere(registrations);
}

function readRevision(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

const EXAMPLE = `
Examples:
  tool-gateway registrations list --awaiting
  tool-gateway registrations show ${EXAMPLE_ID}
  tool-gateway registrations approve ${EXAMPLE_ID} --reviewed 1`;

/**
 * Prints the latest version of a registration, the one that an approval takes into use, or its description as it is stored:
 * its address may serve another one to the operator who reviews it.
 */
async function showRegistration(id: string, options: { readonly document?: true }): Promise<void> {
  if (options.document && process.stdout.isTTY) {
    throw new StartupError(
      'A description may contain what a terminal obeys. Redirect the output to a file.',
    );
  }
  await withRegistrations('read', async (_store, { db }) => {
    const { latest } = await findVersions(db, { id }).catch((error: unknown) => {
      throw withAdvice(error, id);
    });
    if (options.document) {
      process.stdout.write(await readDocument(db, latest.documentId));
      return;
    }
    const { revision, version, origins, descriptions, tenantSlug: tenant } = latest;
    const report: unknown = JSON.parse((await copyVersion(db, latest)).report);
    const { id: same, ...view } = toRegistrationView(latest);
    const texts = { origins, descriptions, report };
    const shown = { id: same, tenant, ...view, revision, version, ...texts };
    process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
  });
}

type Decision = 'approve' | 'reject';

/**
 * Approves or rejects a public API that waits for it, and prints what follows. With a revision, no other one is approved:
 * its tenant may change it during the review.
 */
async function decideRegistration(
  id: string,
  decision: Decision,
  revision?: number,
): Promise<void> {
  await withRegistrations('change', async (store) => {
    const decided = decision === 'approve' ? store.approve(id, revision) : store.reject(id);
    const registration = await decided.catch((error: unknown) => {
      throw withAdvice(error, id, revision);
    });
    process.stdout.write(`${SENTENCES[decision](registration)}\n`);
  });
}

const SENTENCES: Readonly<Record<Decision, (registration: RegistrationRecord) => string>> = {
  approve: (registration) =>
    `${describe(registration)} is public: gateways show its ${count(registration.tools.length, 'tool')} to all tenants within a second.`,
  // The store returns what it deleted as it was.
  reject: (registration) =>
    registration.status === 'awaiting_approval'
      ? `${describe(registration)} was rejected and deleted.`
      : `${describe(registration)} was rejected; it stays ${registration.visibility} as before.`,
};

const describe = ({ id, name, tenantSlug }: RegistrationRecord): string =>
  `${id} ("${name}" of ${tenantSlug})`;

/** Names the registration, and the command that lists those that wait. */
function withAdvice(error: unknown, id: string, revision?: number): unknown {
  if (!(error instanceof GatewayError)) return error;
  const isReviewed = error.code === 'conflict' && revision !== undefined;
  const advice = isReviewed ? REVIEW_AGAIN : ADVICE[error.code];
  return advice ? new StartupError(`${advice.replace('<id>', id)} ${LIST}`) : error;
}

const LIST = `To list those that wait, run: ${commandLine('registrations list --awaiting')}`;

const REVIEW_AGAIN =
  'The registration "<id>" was changed since that review, or does not wait any more. Review it again.';

const ADVICE: Readonly<Partial<Record<GatewayError['code'], string>>> = {
  not_found: 'There is no registration "<id>".',
  conflict: 'The registration "<id>" does not wait for approval.',
};

interface ListOptions {
  readonly tenant?: string;
  readonly awaiting?: true;
  readonly json?: true;
}

/** Registrations that are in memory at a time: one has up to 2,000 tools. */
const PAGE = 50;

const HEADING = ['ID', 'TENANT', 'NAME', 'STATUS', 'VISIBILITY', 'TOOLS', 'BASE URL'];

async function listRegistrations(options: ListOptions): Promise<void> {
  await withRegistrations('read', async (store, database) => {
    const found = await select(store, database, options);
    if (options.json) return await writeLines(toLines(found));
    const rows: string[][] = [];
    for await (const registration of found) rows.push(toRow(registration));
    process.stdout.write(formatTable(HEADING, rows));
  });
}

/** Throws StartupError for an unknown tenant. */
async function select(
  store: RegistrationStore,
  { db }: Database,
  { tenant: slug, awaiting }: ListOptions,
): Promise<AsyncIterable<RegistrationRecord>> {
  if (slug === undefined) return readPages(awaiting ? store.awaiting : store.all, () => true);
  const tenant = await requireTenant(db, slug);
  if (!awaiting)
    return readPages(
      (page) => store.list(tenant.id, page),
      () => true,
    );
  return readPages(store.awaiting, ({ tenantId }) => tenantId === tenant.id);
}

async function* readPages(
  read: (page: RegistrationPage) => Promise<readonly RegistrationRecord[]>,
  isWanted: (registration: RegistrationRecord) => boolean,
): AsyncGenerator<RegistrationRecord> {
  let after = '';
  for (;;) {
    const page = await read({ after, limit: PAGE });
    yield* page.filter(isWanted);
    if (page.length < PAGE) return;
    after = page.at(-1)?.id ?? '';
  }
}

async function* toLines(found: AsyncIterable<RegistrationRecord>): AsyncGenerator<string> {
  for await (const registration of found) {
    const { id, ...view } = toRegistrationView(registration);
    yield `${JSON.stringify({ id, tenant: registration.tenantSlug, ...view })}\n`;
  }
}

const toRow = (registration: RegistrationRecord): string[] => [
  registration.id,
  registration.tenantSlug,
  registration.name,
  registration.status,
  registration.visibility,
  String(registration.tools.length),
  registration.baseUrl,
];

/** Opens the registrations of all tenants for one command. A gateway may be running at the same time. */
const withRegistrations = <T>(
  access: Exclude<DatabaseAccess, 'create'>,
  use: (store: RegistrationStore, database: Database) => Promise<T>,
): Promise<T> =>
  withDatabase(access, async (database) => {
    const vault = openVault(readSettings(process.env));
    const deps = { db: database.db, vault, clock: systemClock, actor: 'cli' };
    return use(createRegistrationStore(deps), database);
  });
