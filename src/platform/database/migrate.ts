import { setTimeout } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import pg from 'pg';
import { StartupError } from '../kernel/startup-error.ts';
import type { Migrations } from './migrations.ts';
import { isSqliteBusy } from './sqlite-error.ts';
import type { Tables } from './tables.ts';

/** The advisory lock of migrations: a number that other users of the PostgreSQL database are unlikely to use. */
export const MIGRATION_LOCK = 7_467_001;

const MIGRATION_TABLE = 'kysely_migration';

/** The end of the name of a migration after which older versions of the gateway cannot use the database. */
const INCOMPATIBLE = '-incompatible';

const PAUSE_MS = 20;
const MAX_ATTEMPTS = 1500;

/**
 * Runs the migrations that have not run yet, all in one transaction that waits for the migration of any other process.
 * `db` must have a single connection, used for nothing else meanwhile. Returns the names of those that ran.
 * Throws StartupError if the database is unusable.
 */
export async function migrate(
  db: Kysely<Tables>,
  backend: 'embedded' | 'postgres',
  migrations: Migrations,
): Promise<readonly string[]> {
  if (backend === 'postgres') return migratePostgres(db, migrations);
  // On SQLite, Kysely's migrator takes no lock and refuses a Kysely transaction, so this one is started by hand.
  try {
    await beginImmediate(db);
    const { rows } = await sql`select 1 from sqlite_master where name = ${MIGRATION_TABLE}`.execute(
      db,
    );
    const known = rows.length > 0 ? await withNewer(db, migrations) : migrations;
    const done = await run(new Migrator({ db, provider: { getMigrations: async () => known } }));
    await sql`commit`.execute(db);
    return done;
  } catch (error) {
    // On a full disk, SQLite may already have rolled back.
    await sql`rollback`.execute(db).catch(() => undefined);
    if (error instanceof StartupError) throw error;
    throw new StartupError(
      `The database in DATA_DIR cannot be used: ${error instanceof Error ? error.message : error}.`,
      { cause: error },
    );
  }
}

/**
 * Adds the migrations that a newer version of the gateway has run, which this one accepts without knowing them: it can be
 * started again after an upgrade. The migrator refuses all others that it does not know.
 */
async function withNewer(db: Kysely<Tables>, migrations: Migrations): Promise<Migrations> {
  const isNewer = (name: string): boolean => Object.keys(migrations).every((known) => name > known);
  const { rows } = await sql<{
    name: string;
  }>`select name from ${sql.table(MIGRATION_TABLE)}`.execute(db);
  const newer = rows.filter(({ name }) => isNewer(name) && !name.endsWith(INCOMPATIBLE));
  const nothing = { up: async () => undefined };
  return { ...migrations, ...Object.fromEntries(newer.map(({ name }) => [name, nothing])) };
}

/** Retries with pauses: SQLite's own wait would block this process, including a migration on another connection. */
async function beginImmediate(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ timeout: number }>`pragma busy_timeout`.execute(db);
  await sql`pragma busy_timeout = 0`.execute(db);
  for (let attempt = 1; ; attempt++) {
    try {
      await sql`begin immediate`.execute(db);
      break;
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isSqliteBusy(error)) throw error;
      await setTimeout(PAUSE_MS);
    }
  }
  await sql`pragma busy_timeout = ${sql.lit(rows[0]?.timeout ?? 0)}`.execute(db);
}

/** The migrator reads the tables and columns of all schemas, and fails if someone drops one of them meanwhile. */
const MAX_READS = 100;
/** SQLSTATE `undefined_table`, `undefined_column` and `invalid_schema_name`. */
const IS_GONE = ['42P01', '42703', '3F000'];

async function migratePostgres(
  db: Kysely<Tables>,
  migrations: Migrations,
): Promise<readonly string[]> {
  for (let read = 1; ; read++) {
    try {
      return await migrateOnce(db, migrations);
    } catch (error) {
      const cause = error instanceof StartupError ? error.cause : undefined;
      const mayPass = cause instanceof pg.DatabaseError && IS_GONE.includes(cause.code ?? '');
      if (!mayPass || read === MAX_READS) throw error;
      await setTimeout(PAUSE_MS);
    }
  }
}

function migrateOnce(db: Kysely<Tables>, migrations: Migrations): Promise<readonly string[]> {
  return db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction);
    const { rows } = await sql<{ name: string | null }>`select current_schema() as name`.execute(
      transaction,
    );
    const schema = rows[0]?.name;
    if (!schema) throw new StartupError('The search_path of DATABASE_URL names no schema.');
    // Without a schema, the migrator would accept the migration table of any other schema.
    const migrationTableSchema = schema;
    const { rows: tables } = await sql`
      select 1 from pg_tables where schemaname = ${schema} and tablename = ${MIGRATION_TABLE}`.execute(
      transaction,
    );
    const known = tables.length > 0 ? await withNewer(transaction, migrations) : migrations;
    const provider = { getMigrations: async () => known };
    return await run(new Migrator({ db: transaction, provider, migrationTableSchema }));
  });
}

async function run(migrator: Migrator): Promise<readonly string[]> {
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return (results ?? []).map(({ migrationName }) => migrationName);
  const failed = results?.find((result) => result.status === 'Error')?.migrationName;
  const reason = error instanceof Error ? error.message : String(error);
  throw new StartupError(
    failed
      ? `The database migration ${failed} failed: ${reason}.`
      : `The database cannot be migrated: ${reason}. Was it last used by a newer version of the gateway?`,
    { cause: error },
  );
}
