import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { type KillRunResult, killRun } from '../test/support/kill-run.ts';

/** Checks that every answered call has its audit record, even if the process is killed right afterwards. */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20' },
    callers: { type: 'string', default: '32' },
    'database-url': { type: 'string' },
  },
});
const runs = Number(values.runs);
const callers = Number(values.callers);
if (!(runs > 0 && callers > 0)) {
  throw new Error(
    'Usage: npm run kill-test -- [--runs 20] [--callers 32] [--database-url postgres://...]',
  );
}

let answered = 0;
let lost = 0;
for (let run = 1; run <= runs; run++) {
  const loadMs = Math.round(300 + Math.random() * 1200);
  const result = await runOnce(loadMs);
  answered += result.answered;
  lost += result.lost.length;
  console.log(
    `run ${run}: killed after ${loadMs} ms, ${result.answered} calls answered, ${result.lost.length} lost, files ${result.damage.join('; ') || 'ok'}, seals ${result.tampering || 'ok'}`,
  );
  if (result.damage.length > 0 || result.tampering !== '' || result.answered === 0)
    process.exitCode = 1;
}
console.log(`${lost} lost of ${answered} calls in ${runs} runs`);
if (lost > 0) process.exitCode = 1;

async function runOnce(loadMs: number): Promise<KillRunResult> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gateway-kill-test-'));
  try {
    return await withSchema(values['database-url'], (databaseUrl) =>
      killRun({ dataDir, databaseUrl, callers, loadMs }),
    );
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Creates a schema on the server for one run, and drops it afterwards. */
async function withSchema<T>(
  serverUrl: string | undefined,
  use: (databaseUrl: string | undefined) => Promise<T>,
): Promise<T> {
  if (serverUrl === undefined) return use(undefined);
  const schema = `kill_test_${randomBytes(6).toString('hex')}`;
  const url = new URL(serverUrl);
  url.searchParams.set('options', `-c search_path=${schema}`);
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`create schema ${schema}`);
    return await use(url.href);
  } finally {
    await client.query(`drop schema ${schema} cascade`);
    await client.end();
  }
}
