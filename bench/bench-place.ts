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

/** Servers on which benchmarks run: none for the embedded database, and PostgreSQL if TEST_DATABASE_URL names one. */
export const databaseServers = (): (string | undefined)[] => [
  undefined,
  ...(process.env['TEST_DATABASE_URL'] ? [process.env['TEST_DATABASE_URL']] : []),
];

/** Does the work in a directory, and on PostgreSQL in a schema, that is deleted afterwards. */
export const withPlace = (serverUrl: string | undefined, work: Work): Promise<void> =>
  withDirectory((dataDir) =>
    serverUrl === undefined
      ? work({ dataDir, databaseUrl: undefined })
      : withSchema(serverUrl, (databaseUrl) => work({ dataDir, databaseUrl })),
  );

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
