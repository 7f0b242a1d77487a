import { type Kysely, sql } from 'kysely';
import { StartupError } from '../kernel/error.ts';
import { commandLine } from '../kernel/log-lines.ts';
import type { Migrations } from './migrations.ts';
import type { Tables } from './tables.ts';

/** How the tables of a database compare with those that this version of the gateway uses. */
export type SchemaState = 'missing' | 'older' | 'current' | 'newer';

/** Compares the migrations that have run with the migrations of this version. Changes nothing. */
export async function readSchemaState(
  db: Kysely<Tables>,
  backend: 'embedded' | 'postgres',
  migrations: Migrations,
): Promise<SchemaState> {
  const table =
    backend === 'embedded'
      ? sql`select 1 from sqlite_master where name = 'kysely_migration'`
      : sql`select 1 from pg_tables
            where schemaname = current_schema() and tablename = 'kysely_migration'`;
  if ((await table.execute(db)).rows.length === 0) return 'missing';
  const done = await migrationsIn(db);
  if (done.size === 0) return 'missing';
  const known = Object.keys(migrations);
  assertReleased(done, known);
  if (done.difference(new Set(known)).size > 0) return 'newer';
  return known.every((name) => done.has(name)) ? 'current' : 'older';
}

/** Throws StartupError for the tables of a commit before the first release, which nothing here can read. */
export function assertReleased(done: ReadonlySet<string>, known: readonly string[]): void {
  const [first = ''] = known.toSorted();
  if (![...done].some((name) => name < first)) return;
  throw new StartupError(
    'The database was made by a version from before the first release. Start with a new DATA_DIR or an empty PostgreSQL schema, and keep the earlier version for reading.',
  );
}

/** The names of the migrations that a database has had. */
export async function migrationsIn(db: Kysely<Tables>): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

/** Throws StartupError for tables that are missing or older, which a command that only reads leaves as they are. */
export function assertReadable(state: SchemaState): void {
  if (state === 'missing')
    throw new StartupError(`The database has no tables yet. ${HOW_TO_CREATE}`);
  if (state === 'older') {
    throw new StartupError(
      `The database was last used by an older version of the gateway. To update it, start the gateway, or run: ${commandLine('migrate')}`,
    );
  }
}

/** How to get a database that does not exist yet. */
export const HOW_TO_CREATE = `If DATA_DIR and DATABASE_URL are right, start the gateway, or run: ${commandLine('migrate')}`;
