import { describe, inject } from 'vitest';
import { type Database, openDatabase } from '../../src/platform/database/database.ts';
import { MIGRATION_LOCK } from '../../src/platform/database/migrate.ts';
import { Secret } from '../../src/platform/kernel/secret.ts';
import { newName, onServer, withDatabase } from './postgres-template.ts';
import { makeDataDir, removeDir } from './temporary-dir.ts';

/** Storage for one test: its own directory and, on PostgreSQL, its own database. */
export interface TestPlace {
  readonly dataDir: string;
  /** Undefined on the embedded database. */
  readonly databaseUrl: Secret | undefined;
  /** Deletes everything; close what uses it first. */
  remove(): Promise<void>;
}

export interface TestBackend {
  readonly name: 'embedded' | 'postgres';
  /** On PostgreSQL, its tables exist already. */
  makePlace(): Promise<TestPlace>;
  /** A place for tests of migrations; on PostgreSQL, a schema beside others. */
  makeEmptyPlace(): Promise<TestPlace>;
}

async function makeEmbeddedPlace(): Promise<TestPlace> {
  const dataDir = await makeDataDir();
  return { dataDir, databaseUrl: undefined, remove: () => removeDir(dataDir) };
}

const embedded: TestBackend = {
  name: 'embedded',
  makePlace: makeEmbeddedPlace,
  makeEmptyPlace: makeEmbeddedPlace,
};

const postgresAt = (serverUrl: string): TestBackend => {
  const place = async (url: string, drop: string): Promise<TestPlace> => {
    const dataDir = await makeDataDir();
    return {
      dataDir,
      databaseUrl: new Secret(url),
      remove: async () => {
        await onServer(serverUrl, drop);
        await removeDir(dataDir);
      },
    };
  };
  return {
    name: 'postgres',
    makePlace: async () => {
      const name = newName();
      await onServer(serverUrl, `create database ${name} template ${inject('postgresTemplate')}`);
      return place(withDatabase(serverUrl, name), `drop database ${name} with (force)`);
    },
    makeEmptyPlace: async () => {
      const name = newName();
      await onServer(serverUrl, `create schema ${name}`);
      return place(withSchema(serverUrl, name), locked(`drop schema ${name} cascade`));
    },
  };
};

const postgresUrl = process.env['TEST_DATABASE_URL'];
if (!postgresUrl && process.env['CI'] === 'true') {
  throw new Error('TEST_DATABASE_URL must name a PostgreSQL server when CI=true.');
}
if (!postgresUrl) {
  console.warn('TEST_DATABASE_URL is not set: the PostgreSQL half of the store tests is skipped.');
}

/** PostgreSQL, if TEST_DATABASE_URL names a server. */
export const postgres: TestBackend | undefined = postgresUrl ? postgresAt(postgresUrl) : undefined;

/** Always the embedded database, and PostgreSQL if available. */
export const TEST_BACKENDS: readonly TestBackend[] = postgres ? [embedded, postgres] : [embedded];

/** Runs the same tests on every backend. */
export function describeStores(title: string, define: (backend: TestBackend) => void): void {
  for (const backend of TEST_BACKENDS) {
    describe(`${title} (${backend.name})`, () => define(backend));
  }
}

/** Opens a place's database and creates its tables. */
export async function openTestDatabase(place: TestPlace): Promise<Database> {
  const database = openDatabase(place);
  await database.migrate();
  return database;
}

/** The address with the schema as its search path. */
function withSchema(serverUrl: string, schema: string): string {
  const url = new URL(serverUrl);
  url.searchParams.set('options', `-c search_path=${schema}`);
  return url.href;
}

/** Holds the migration lock: the migrator lists every schema and fails on one that is being dropped. */
const locked = (statement: string): string =>
  `begin; select pg_advisory_xact_lock(${MIGRATION_LOCK}); ${statement}; commit`;
