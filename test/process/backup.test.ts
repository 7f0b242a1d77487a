import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  type CommandResult,
  type RunningGateway,
  runGatewayCommand,
  spawnGateway,
  startGatewayProcess,
} from '../support/gateway-process.ts';
import { makeDataDir, removeDir } from '../support/temporary-dir.ts';
import { documentedCommands } from './documented-commands.ts';
import { temporaryDir, temporaryGateway } from './temporary.ts';

let root: string;
let dataDir: string;
let saved: string;
let gateway: RunningGateway;
beforeAll(async () => {
  root = await makeDataDir();
  [dataDir, saved] = [join(root, 'data'), join(root, 'saved')];
  gateway = await startGatewayProcess({ DATA_DIR: dataDir });
  const pipe = ['sh', '-c', 'echo a-provider-key | "$@"', 'sh'];
  await spawnGateway(['secrets', 'set', 'DART_API_KEY'], { DATA_DIR: dataDir }, pipe).ended;
});
afterAll(async () => {
  await gateway.stop();
  await removeDir(root);
});

const run = (args: readonly string[], dir = dataDir): Promise<CommandResult> =>
  runGatewayCommand(args, { DATA_DIR: dir });

/** Calls tools until the work is done, and returns the audit ids of the calls that had ended before it began. */
async function underLoad(work: () => Promise<unknown>): Promise<readonly string[]> {
  const ids: string[] = [];
  let done = false;
  const callers = Array.from({ length: 4 }, async () => {
    while (!done) {
      const { result } = await gateway.call('frankfurter_rates', { _limit: (ids.length % 20) + 1 });
      if (result) ids.push(result.auditId);
    }
  });
  await expect.poll(() => ids.length).toBeGreaterThan(100);
  const before = [...ids];
  await work();
  done = true;
  await Promise.all(callers);
  expect(ids.length).toBeGreaterThan(before.length);
  return before;
}

test('a backup under load is restored elsewhere: keys, stored secrets and the audit log are whole', async () => {
  let result: CommandResult | undefined;
  const called = await underLoad(async () => {
    result = await run(['backup', saved]);
  });
  expect(result).toEqual({
    code: 0,
    stdout: `Wrote audit.db, gateway.db, encryption.key and a manifest to ${saved}.\n`,
    stderr: `Database: ${join(dataDir, 'gateway.db')}\n`,
  });
  const elsewhere = join(await temporaryDir(), 'data');
  expect((await run(['restore', saved], elsewhere)).stdout).toMatch(
    /^Restored audit\.db, gateway\.db, encryption\.key to \/.*, as of 20\d\d-\S+Z \(version \S+\)\.\n$/,
  );

  const verified = await run(['audit', 'verify', '--json'], elsewhere);
  expect([verified.code, JSON.parse(verified.stdout)]).toEqual([
    0,
    expect.objectContaining({ intact: true, finding: null }),
  ]);
  const { stdout } = await run(['audit', 'export'], elsewhere);
  const recorded = new Set(stdout.match(/aud_\w+/g));
  expect(called.filter((id) => !recorded.has(id))).toEqual([]);
  // Decrypts the provider key first.
  const rotated = await run(['secrets', 'rotate'], elsewhere);
  expect(rotated.stdout).toMatch(/^Encrypted 1 stored credential with/);

  const restored = await temporaryGateway({ DATA_DIR: elsewhere });
  expect(restored.key).toBe('');
  const response = await restored.call('frankfurter_rates', {}, gateway.key);
  expect(response.result).toBeDefined();
});

test('a running gateway keeps its data, and a backup is not overwritten', async () => {
  await mkdir(saved, { recursive: true });
  const again = await run(['backup', saved]);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already exists')]);
  const copy = join(root, 'copy');
  expect((await run(['backup', copy])).code).toBe(0);
  const refused = await run(['restore', copy]);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('is using the data directory'),
  ]);
  expect((await gateway.call('frankfurter_rates')).result).toBeDefined();
});

test('a disk that fills up leaves no part of a backup, and none of a restored one', async () => {
  const full = ['prlimit', '--fsize=65536'];
  const [copy, target] = [join(root, 'full'), await temporaryDir()];
  const backup = spawnGateway(['backup', copy], { DATA_DIR: dataDir }, full);
  expect([(await backup.ended).code, backup.stderr()]).toEqual([
    1,
    expect.stringMatching(
      /The backup full cannot be written \(.+\)\. Check that .* has space\.\n$/,
    ),
  ]);
  expect((await readdir(root)).filter((name) => name.startsWith('full'))).toEqual([]);

  await run(['backup', copy]);
  const restore = spawnGateway(['restore', copy], { DATA_DIR: target }, full);
  expect([(await restore.ended).code, restore.stderr()]).toEqual([
    1,
    expect.stringMatching(/The backup cannot be restored to \S+ \(EFBIG\)\. Check that/),
  ]);
  expect(await readdir(target)).toEqual(['gateway.lock']);
});

test('with PostgreSQL, the records that wait are backed up, and the rest is said to be missing', async () => {
  const [dir, copy] = [await temporaryDir(), join(root, 'outbox')];
  const env = { DATA_DIR: dir, DATABASE_URL: 'postgres://someone:s3cret@127.0.0.1:1/tools' };
  const nothing = await runGatewayCommand(['backup', copy], env);
  expect([nothing.code, nothing.stderr]).toEqual([
    1,
    expect.stringContaining('nothing to back up'),
  ]);
  await cp(join(dataDir, 'audit.db'), join(dir, 'audit.db'));
  const { code, stdout, stderr } = await runGatewayCommand(['backup', copy], env);
  expect([code, stdout]).toEqual([0, `Wrote audit.db and a manifest to ${copy}.\n`]);
  expect(stderr).toContain('The PostgreSQL database is not in this backup. Run pg_dump now');
  expect(stderr).not.toContain('s3cret');
  const refused = await run(['restore', copy], join(dir, 'new'));
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('set DATABASE_URL')]);
  expect(existsSync(join(dir, 'new'))).toBe(false);
});

/** A new database on the server of the tests. */
async function newDatabase(server: string): Promise<string> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  const name = `backup_${randomBytes(6).toString('hex')}`;
  await client.query(`create database ${name}`);
  onTestFinished(async () => {
    await client.query(`drop database ${name} with (force)`);
    await client.end();
  });
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}

const server = process.env['TEST_DATABASE_URL'];

test.skipIf(!server)(
  'the commands of docs/operations.md back up and restore a gateway on PostgreSQL',
  async () => {
    const [source, copy] = [await newDatabase(server ?? ''), await newDatabase(server ?? '')];
    const dir = await temporaryDir();
    await mkdir(join(dir, 'backups'));
    const shared = { ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    const env = { ...shared, DATA_DIR: join(dir, 'data'), DATABASE_URL: source };
    const restored = { ...shared, DATA_DIR: join(dir, 'restored'), DATABASE_URL: copy };
    const inDir = (text: string, { DATABASE_URL }: typeof env) =>
      promisify(execFile)('bash', ['--norc', '-ec', text], {
        cwd: dir,
        env: { PATH: process.env['PATH'], DATABASE_URL },
      });
    const [dump = '', restore = ''] = documentedCommands()
      .filter(({ text }) => text.startsWith('pg_'))
      .map(({ text }) => text);

    const running = await temporaryGateway(env);
    for (let n = 1; n <= 20; n++) await running.call('frankfurter_rates', { _limit: n });
    expect((await runGatewayCommand(['backup', join(dir, 'saved')], env)).code).toBe(0);
    await inDir(dump, env);
    await running.stop();

    await inDir(restore, restored);
    expect((await runGatewayCommand(['restore', join(dir, 'saved')], restored)).code).toBe(0);
    const again = await temporaryGateway(restored);
    expect((await again.call('frankfurter_rates', {}, running.key)).result).toBeDefined();
    await again.stop();
    const verified = await runGatewayCommand(['audit', 'verify', '--json'], restored);
    expect([verified.code, JSON.parse(verified.stdout)]).toEqual([
      0,
      expect.objectContaining({ intact: true, finding: null }),
    ]);
    const { stdout } = await runGatewayCommand(['audit', 'export'], restored);
    expect(new Set(stdout.match(/aud_\w+/g)).size).toBe(21);
  },
);
