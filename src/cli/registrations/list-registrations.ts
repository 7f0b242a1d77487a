import type { Database } from '../../platform/database/database.ts';
import { toRegistrationView } from '../../registrations/registration-views.ts';
import type { RegistrationRecord } from '../../registrations/store/registration-record.ts';
import type {
  RegistrationPage,
  RegistrationStore,
} from '../../registrations/store/registration-store.ts';
import { requireTenant } from '../shared/require-tenant.ts';
import { formatTable } from '../shared/table.ts';
import { writeLines } from '../shared/write-lines.ts';
import { withRegistrations } from './with-registrations.ts';

interface ListOptions {
  readonly tenant?: string;
  readonly awaiting?: true;
  readonly json?: true;
}

/** Registrations that are in memory at a time: one has up to 2,000 tools. */
const PAGE = 50;

const HEADING = ['ID', 'TENANT', 'NAME', 'STATUS', 'VISIBILITY', 'TOOLS', 'BASE URL'];

export async function listRegistrations(options: ListOptions): Promise<void> {
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
