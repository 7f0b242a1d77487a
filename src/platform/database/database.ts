import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Closeable } from '../kernel/closing.ts';
import { GatewayError, StartupError } from '../kernel/error.ts';
import type { Secret } from '../kernel/secret.ts';
import { runQuery } from './database-error.ts';
import { migrate } from './migrate.ts';
import { ALL_MIGRATIONS, GATEWAY_MIGRATIONS } from './migrations.ts';
import { createPostgresPool, type PoolStats } from './postgres-pool.ts';
import { readSchemaState, type SchemaState } from './schema-state.ts';
import { createSqliteDialect, openSqliteFile } from './sqlite-file.ts';
import type { Tables } from './tables.ts';

export interface DatabaseOptions {
  /** If unset, `gateway.db` in `dataDir` is used. The schema is the first one of the `search_path`. */
  readonly databaseUrl?: Secret | undefined;
  readonly dataDir: string;
}

/** The database of tenants and keys, and on PostgreSQL also of audit records. */
export interface Database extends Closeable {
  readonly db: Kysely<Tables>;
  readonly backend: 'embedded' | 'postgres';
  /**
   * Updates the tables, and returns the names of the migrations that ran. May run twice, and in several processes at once.
   * Throws StartupError.
   */
  migrate(): Promise<readonly string[]>;
  /** Throws StartupError if the database cannot be read. */
  schemaState(): Promise<SchemaState>;
  /** Resolves if the database responds and accepts writes. Rejects with GatewayError `unavailable`. */
  ping(): Promise<void>;
  /** The connections to PostgreSQL; null for `embedded`. */
  poolStats(): PoolStats | null;
}

/** Opens the database. A PostgreSQL server may still be down; `gateway.db` is created. Throws StartupError. */
export function openDatabase(options: DatabaseOptions): Database {
  const { databaseUrl, dataDir } = options;
  return databaseUrl ? openPostgres(databaseUrl) : openEmbedded(dataDir);
}

export const DATABASE_FILE_NAME = 'gateway.db';

/** The file of the embedded database. */
export const databaseFileOf = (dataDir: string): string => join(dataDir, DATABASE_FILE_NAME);

/** Whether DATA_DIR contains `gateway.db`: a command that only reads must not create it. */
export const hasDatabaseFile = (dataDir: string): boolean => existsSync(databaseFileOf(dataDir));

function openEmbedded(dataDir: string): Database {
  const file = openSqliteFile({ dataDir, name: DATABASE_FILE_NAME });
  const db = new Kysely<Tables>({ dialect: createSqliteDialect(file) });
  return {
    db,
    backend: 'embedded',
    migrate: () => migrate(db, 'embedded', GATEWAY_MIGRATIONS),
    schemaState: () => readSchemaState(db, 'embedded', GATEWAY_MIGRATIONS),
    ping: async () => void (await runQuery(() => sql`select 1`.execute(db))),
    poolStats: () => null,
    // Kysely does not close a file that it has not used yet.
    close: async () => {
      await db.destroy();
      if (file.isOpen) file.close();
    },
  };
}

const MAX_CONNECTIONS = 10;

function openPostgres(databaseUrl: Secret): Database {
  const pool = createPostgresPool({ databaseUrl, maxConnections: MAX_CONNECTIONS });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const schemaState = () => readSchemaState(db, 'postgres', ALL_MIGRATIONS).catch(throwUnusable);
  return {
    db,
    backend: 'postgres',
    // Without a timeout only when there is work: a start notices at once that the server is silent.
    migrate: async () =>
      (await schemaState()) === 'current' ? [] : migrateWithoutTimeout(databaseUrl),
    schemaState,
    ping: () => pingForWriting(db),
    poolStats: pool.stats,
    close: () => db.destroy(),
  };
}

/** On a separate connection without a timeout: a migration may take long, and may wait for another process's. */
async function migrateWithoutTimeout(databaseUrl: Secret): Promise<readonly string[]> {
  const pool = createPostgresPool({ databaseUrl, maxConnections: 1, queryTimeoutMs: 0 });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    return await migrate(db, 'postgres', ALL_MIGRATIONS);
  } catch (error) {
    throwUnusable(error);
  } finally {
    await db.destroy();
  }
}

function throwUnusable(error: unknown): never {
  if (error instanceof StartupError) throw error;
  throw new StartupError(
    `The PostgreSQL server of DATABASE_URL cannot be used: ${error instanceof Error ? error.message : error}. Check that it runs and that DATABASE_URL is right; without DATABASE_URL, the gateway stores its data in DATA_DIR.`,
    { cause: error },
  );
}

/** A standby or a read-only server still responds to every other query. */
async function pingForWriting(db: Kysely<Tables>): Promise<void> {
  const query = sql<{ readonly: string }>`
    select current_setting('transaction_read_only') as readonly`;
  const { rows } = await runQuery(() => query.execute(db));
  if (rows[0]?.readonly === 'on') throw new GatewayError('unavailable', 'PostgreSQL is read-only.');
}
