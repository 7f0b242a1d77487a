import { resolve } from 'node:path';
import { createTenantStore, type Tenant } from '../../access/tenants/tenant-store.ts';
import { readSettings, type Settings } from '../../platform/config/settings.ts';
import {
  type Database,
  databaseFileOf,
  hasDatabaseFile,
  openDatabase,
} from '../../platform/database/database.ts';
import { isStatementError } from '../../platform/database/database-error.ts';
import {
  assertReadable,
  HOW_TO_CREATE,
  type SchemaState,
} from '../../platform/database/schema-state.ts';
import { closest } from '../../platform/kernel/closest.ts';
import { GatewayError, StartupError } from '../../platform/kernel/error.ts';
import { systemClock } from '../../platform/kernel/time.ts';

/** What a command does with the database. Only `create` creates or migrates it. */
export type DatabaseAccess = 'read' | 'change' | 'create';

/**
 * Opens the configured database for one command, and says on standard error which one it is. A gateway may be running at
 * the same time. Throws StartupError for a database that does not fit the access.
 */
export async function withDatabase<T>(
  access: DatabaseAccess,
  use: (database: Database) => Promise<T>,
): Promise<T> {
  assertHere();
  const settings = readSettings(process.env);
  const { DATABASE_URL: databaseUrl, DATA_DIR: dataDir } = settings;
  printDatabaseName(databaseNameOf(settings));
  if (access !== 'create' && !databaseUrl && !hasDatabaseFile(dataDir)) {
    throw new StartupError(`There is no such database. ${HOW_TO_CREATE}`);
  }
  const database = openDatabase({ databaseUrl, dataDir });
  try {
    if (access === 'create') await database.migrate();
    const state = access === 'create' ? 'current' : await database.schemaState();
    assertUsable(access, state);
    return await use(database).catch((error: unknown) => {
      throw state === 'newer' && isUnknownTable(error) ? newer(error) : error;
    });
  } finally {
    await database.close();
  }
}

/** Throws StartupError if the environment names a gateway elsewhere, whose data the command would not read. */
export function assertHere(): void {
  if (process.env['TOOL_GATEWAY_URL']) throw onlyHere();
}

export const onlyHere = (): StartupError =>
  new StartupError(
    'This runs only on the machine of the gateway. Run it there, without --url and TOOL_GATEWAY_URL.',
  );

/** Names the database of a command on standard error, which leaves standard output to its result. */
export const printDatabaseName = (name: string): void =>
  void process.stderr.write(`Database: ${name}\n`);

/** The path of the embedded database, or the address of the PostgreSQL server without its credentials. */
export function databaseNameOf({ DATABASE_URL, DATA_DIR }: Settings): string {
  if (!DATABASE_URL) return resolve(databaseFileOf(DATA_DIR));
  const url = URL.parse(DATABASE_URL.reveal());
  const host = url?.searchParams.get('host') ?? url?.host;
  return host ? `PostgreSQL at ${host}${url?.pathname}` : 'PostgreSQL of DATABASE_URL';
}

function assertUsable(access: DatabaseAccess, state: SchemaState): void {
  assertReadable(state);
  if (state !== 'newer') return;
  if (access === 'change') throw newer();
  process.stderr.write('The database was last used by a newer version of the gateway.\n');
}

/** A newer version may have changed what a query of this one reads. */
const isUnknownTable = (error: unknown): boolean =>
  isStatementError(error) || (error instanceof GatewayError && error.code === 'internal');

const newer = (cause?: unknown): StartupError =>
  new StartupError(
    'The database was last used by a newer version of the gateway, and this one cannot use it so. Run the command with the newer version.',
    { cause },
  );

/** The tenant with this slug. Throws StartupError for an unknown one, with the slug that it may mean. */
export async function requireTenant(db: Database['db'], slug: string): Promise<Tenant> {
  const store = createTenantStore({ db, clock: systemClock });
  const tenant = await store.findBySlug(slug);
  if (tenant) return tenant;
  const slugs = (await store.list()).map((each) => each.slug);
  const similar = closest(slug, slugs);
  throw new StartupError(
    `There is no tenant ${slug}.${similar ? ` Did you mean ${similar}?` : ''}`,
  );
}
