import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withoutDatabaseLine } from '../../../test/support/database-line.ts';
import { makeDataDir, removeDir } from '../../../test/support/temporary-dir.ts';
import { runWithin } from '../testing/run-within.ts';

let dataDir: string;

beforeEach(async () => {
  dataDir = await makeDataDir();
  vi.stubEnv('DATA_DIR', dataDir);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await removeDir(dataDir);
});

const run = async (...args: string[]) => withoutDatabaseLine(await runWithin(...args));

const PASSWORD = /^[\w-]{27}\n$/;

it('creates people, lists them, and resets a password', async () => {
  const created = await run(
    ...['people', 'create', 'Ann@Example.com', '--tenant', 'team', '--role', 'admin'],
  );
  expect(created).toEqual({ code: 0, stdout: expect.stringMatching(PASSWORD), stderr: '' });
  await run('people', 'create', 'bob@example.com', '--operator', '--name', 'Bob');
  const { stdout } = await run('people', 'list');
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/).slice(1))).toEqual([
    ['E-MAIL', 'NAME', 'OPERATOR', 'TENANTS', 'PROVED'],
    ['ann@example.com', 'Ann@Example.com', 'no', '1', 'yes'],
    ['bob@example.com', 'Bob', 'yes', '0', 'yes'],
    [],
  ]);
  const reset = await run('people', 'reset-password', 'ann@example.com');
  expect(reset).toEqual({ code: 0, stdout: expect.stringMatching(PASSWORD), stderr: '' });
  expect(reset.stdout).not.toBe(created.stdout);
});

it.each([
  [
    'any person, without a database',
    ['reset-password', 'x@example.com'],
    'There is no such database.',
  ],
  ['an invalid address', ['create', 'x', '--operator'], 'Enter an e-mail address'],
  ['a person who could see nothing', ['create', 'x@example.com'], 'Give --tenant, --operator'],
])('refuses %s', async (_what, args, message) => {
  const { code, stdout, stderr } = await run('people', ...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(message);
});

it('refuses an address that is taken, and one that is unknown', async () => {
  await run('people', 'create', 'ann@example.com', '--operator');
  expect((await run('people', 'reset-password', 'x@example.com')).stderr).toBe(
    'No person has this e-mail address.\n',
  );
  const { code, stderr } = await run('people', 'create', 'ann@example.com', '--operator');
  expect(code).toBe(1);
  expect(stderr).toContain('already exists');
});
