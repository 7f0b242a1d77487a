import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandResult, runGatewayCommand } from '../support/gateway-process.ts';
import { makeDataDir, removeDir } from '../support/temporary-dir.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await makeDataDir();
});
afterEach(() => removeDir(dataDir));

const run = (args: string): Promise<CommandResult> =>
  runGatewayCommand(args.split(' '), { DATA_DIR: dataDir });

const databaseLine = () => `Database: ${join(dataDir, 'gateway.db')}\n`;

/** Runs statements on the database, as another version of the gateway might have. */
function alter(...statements: readonly string[]): void {
  const file = new DatabaseSync(join(dataDir, 'gateway.db'));
  for (const statement of statements) file.exec(statement);
  file.close();
}

test.each(['keys list', 'audit list', 'audit verify', 'keys revoke key_1'])(
  '%s creates no database, and says how to',
  async (command) => {
    expect(await run(command)).toEqual({
      code: 1,
      stdout: '',
      stderr: `${databaseLine()}There is no such database. If DATA_DIR and DATABASE_URL are right, start the gateway, or run: npm run -s cli -- migrate\n`,
    });
    expect(await readdir(dataDir)).toEqual([]);
  },
);

test('migrate creates the database, says what it did, and then has nothing to do', async () => {
  const first = await run('migrate');
  expect({ ...first, stdout: '' }).toEqual({ code: 0, stdout: '', stderr: databaseLine() });
  expect(first.stdout).toBe('Ran 2 migrations: 0100-audit, 0100-gateway.\n');
  expect((await run('migrate')).stdout).toBe('The database is up to date.\n');
  expect((await run('migrate --json')).stdout).toBe('{"migrations":[]}\n');
  expect(await run('audit list --json')).toEqual({ code: 0, stdout: '', stderr: databaseLine() });
});

test('a newer database can be read while it has what is read, but not changed', async () => {
  await run('tenants create acme');
  alter("INSERT INTO kysely_migration VALUES ('9999-later', '2099-01-01')");
  const read = await run('tenants list');
  expect([read.code, read.stderr]).toEqual([0, expect.stringContaining('newer version')]);
  expect(read.stdout).toMatch(/^acme /m);
  expect(await run('keys revoke key_1')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Run the command with the newer version.'),
  });
  alter('ALTER TABLE tenants RENAME TO owners');
  const { code, stderr } = await run('tenants list');
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/Run the command with the newer version\.\n$/),
  ]);
});

test('an audit log that does not exist is not created', async () => {
  await run('keys create --tenant acme');
  const { code, stderr } = await run('audit list');
  expect([code, stderr]).toEqual([1, expect.stringContaining('contains no audit log')]);
  expect(await readdir(dataDir)).toEqual(['gateway.db']);
});

test('tenants create creates a tenant once, with a name', async () => {
  expect(await run('tenants create acme --name Acme')).toEqual({
    code: 0,
    stdout: 'Created acme.\n',
    stderr: databaseLine(),
  });
  expect((await run('tenants create acme')).stderr).toContain('already exists');
  expect((await run('tenants create Not_A_Slug')).stderr).toContain("A tenant's slug is");
  const [line = ''] = (await run('tenants list --json')).stdout.split('\n');
  expect(JSON.parse(line)).toMatchObject({
    id: expect.stringMatching(/^ten_/),
    slug: 'acme',
    name: 'Acme',
    createdAt: expect.stringMatching(/Z$/),
  });
});

test('the name of a PostgreSQL database is told without its credentials', async () => {
  const { code, stderr } = await runGatewayCommand(['keys', 'list'], {
    DATA_DIR: dataDir,
    DATABASE_URL: 'postgres://someone:s3cret@127.0.0.1:1/tools',
  });
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^Database: PostgreSQL at 127\.0\.0\.1:1\/tools\nThe PostgreSQL server of DATABASE_URL cannot be used: /,
    ),
  ]);
  expect(stderr).not.toMatch(/someone|s3cret/);
});
