import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/platform/database/database.ts';
import { Secret } from '../../src/platform/kernel/secret.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The database that tests copy: a tenth of the work of running the migrations. */
    postgresTemplate: string;
  }
}

/** Runs the migrations once, before the first test (`globalSetup` of the test runner). */
export async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const serverUrl = process.env['TEST_DATABASE_URL'];
  if (!serverUrl) return undefined;
  const name = newName();
  await onServer(serverUrl, `create database ${name}`);
  const databaseUrl = new Secret(withDatabase(serverUrl, name));
  const database = openDatabase({ dataDir: '', databaseUrl });
  await database.migrate();
  await database.close();
  provide('postgresTemplate', name);
  return () => onServer(serverUrl, `drop database ${name}`);
}

export const newName = (): string => `test_${randomBytes(8).toString('hex')}`;

export function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = name;
  return url.href;
}

export async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
