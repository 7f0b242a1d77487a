import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { Secret } from '../src/platform/kernel/secret.ts';

/** Where a benchmark keeps its records. */
export interface BenchPlace {
  readonly dataDir: string;
  /** Undefined for the embedded database. */
  readonly databaseUrl: Secret | undefined;
}

type Work = (place: BenchPlace) => Promise<void>;

/** Does the work with the embedded database, then in a schema of its own if TEST_DATABASE_URL names a PostgreSQL server. */
export async function eachDatabase(work: Work): Promise<void> {
  await withDirectory((dataDir) => work({ dataDir, databaseUrl: undefined }));
  const serverUrl = process.env['TEST_DATABASE_URL'];
  if (!serverUrl) return;
  await withDirectory((dataDir) =>
    withSchema(serverUrl, (databaseUrl) => work({ dataDir, databaseUrl })),
  );
}

async function withDirectory(work: (dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
  await work(dataDir).finally(() => rm(dataDir, { recursive: true }));
}

async function withSchema(serverUrl: string, work: (url: Secret) => Promise<void>): Promise<void> {
  const schema = `bench_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create schema ${schema}`);
  const url = new URL(serverUrl);
  url.searchParams.set('options', `-c search_path=${schema}`);
  try {
    await work(new Secret(url.href));
  } finally {
    await client.query(`drop schema ${schema} cascade`);
    await client.end();
  }
}
