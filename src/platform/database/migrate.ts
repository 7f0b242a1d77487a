import { setTimeout } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { messageOf, StartupError } from '../kernel/error.ts';
import type { Migrations } from './migrations.ts';
import { assertReleased, migrationsIn } from './schema-state.ts';
import { isSqliteBusy } from './sqlite.ts';
import type { Tables } from './tables.ts';

/** The advisory lock of migrations: a number that other users of the PostgreSQL database are unlikely to use. */
export const MIGRATION_LOCK = 7_467_001;

/** The end of the name of a migration after which older versions of the gateway cannot use the database. */
const INCOMPATIBLE = '-incompatible';

const PAUSE_MS = 20;
const MAX_ATTEMPTS = 1500;

/**
 * Runs the migrations that have not run yet, all in one transaction that waits for the migration of any other process.
 * `db` must have a single connection, used for nothing else meanwhile. Returns the names of those that ran.
 * Throws StartupError if the database is unusable.
 */
export const migrate = (
  db: Kysely<Tables>,
  backend: 'embedded' | 'postgres',
  migrations: Migrations,
): Promise<readonly string[]> =>
  backend === 'postgres' ? migratePostgres(db, migrations) : migrateEmbedded(db, migrations);

async function migrateEmbedded(
  db: Kysely<Tables>,
  migrations: Migrations,
): Promise<readonly string[]> {
  try {
    await beginImmediate(db);
    const done = await runMissing(db, migrations);
    await sql`commit`.execute(db);
    return done;
  } catch (error) {
    // On a full disk, SQLite may already have rolled back.
    await sql`rollback`.execute(db).catch(() => undefined);
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The database in DATA_DIR cannot be used: ${messageOf(error)}.`, {
      cause: error,
    });
  }
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

const migratePostgres = (db: Kysely<Tables>, migrations: Migrations): Promise<readonly string[]> =>
  db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction);
    const { rows } = await sql`select where current_schema() is null`.execute(transaction);
    if (rows.length > 0) throw new StartupError('The search_path of DATABASE_URL names no schema.');
    return runMissing(transaction, migrations);
  });

/**
 * Not with the migrator of Kysely, whose table this is: it reads the tables of all schemas, and fails if someone drops
 * one meanwhile. Migrations of a newer version of the gateway are accepted unless their names say otherwise: this one can
 * be started again after an upgrade.
 */
async function runMissing(db: Kysely<Tables>, migrations: Migrations): Promise<readonly string[]> {
  await sql`
    create table if not exists kysely_migration (
      name varchar(255) not null primary key,
      timestamp varchar(255) not null
    )`.execute(db);
  const known = Object.keys(migrations).sort((a, b) => (a < b ? -1 : 1));
  const done = await migrationsIn(db);
  assertReleased(done, known);
  for (const name of done) {
    if (!migrations[name] && name.endsWith(INCOMPATIBLE))
      throw new StartupError(
        `The database cannot be migrated: this version has no migration ${name}. Was it last used by a newer version of the gateway?`,
      );
  }
  const missing = known.filter((name) => !done.has(name));
  for (const name of missing) {
    await migrations[name]?.up(db).catch((error: unknown) => {
      const message = `The database migration ${name} failed: ${messageOf(error)}.`;
      throw new StartupError(message, { cause: error });
    });
    await sql`
      insert into kysely_migration (name, timestamp)
      values (${name}, ${new Date().toISOString()})`.execute(db);
  }
  return missing;
}
