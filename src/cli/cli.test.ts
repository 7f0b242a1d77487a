import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { makeDataDir, removeDir } from '../../test/support/temporary-dir.ts';
import { release } from '../platform/kernel/version.ts';
import { createProgram, loadEnvFiles, MAX_ENV_FILE_BYTES, textOf } from './cli.ts';
import { commandTree } from './completion/completion-command.ts';
import { runWithin as run, runWithin } from './testing/run-within.ts';

const COMMANDS = commandTree(await createProgram());
const isGroup = (path: string): boolean =>
  COMMANDS.some((other) => other.path.startsWith(`${path} `));

describe('--help', () => {
  test.each(COMMANDS)('describes "tool-gateway$path"', async ({ path }) => {
    const { code, stdout, stderr } = await run(...path.split(' ').filter(Boolean), '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: tool-gateway${path}`);
    expect(stdout).toMatch(/\n\n[A-Z][\s\S]+?\.\n\n(?:Arguments|Options):/);
    if (!isGroup(path)) {
      expect(stdout).toMatch(new RegExp(`\\nExamples?:\\s[^]*\\btool-gateway${path}\\b`));
    }
  });
});

test.each(['--version', '-V'])('%s prints only the version, with its commit', async (option) => {
  expect(await run(option)).toEqual({ code: 0, stdout: `${release()}\n`, stderr: '' });
});

describe('wrong usage', () => {
  test.each([
    ['no command', []],
    ['an unknown command', ['bogus']],
    ['a group without its command', ['keys']],
    ['an unknown command of a group', ['keys', 'bogus']],
    ['an unknown option', ['start', '--bogus']],
    ['too many arguments', ['start', 'extra']],
    ['a missing required option', ['keys', 'create']],
    ['an option without a value', ['keys', 'create', '--tenant']],
    ['a missing required argument', ['keys', 'revoke']],
    ['an invalid duration', ['keys', 'create', '--tenant', 'a', '--expires', '0d']],
    ['an invalid port', ['sandbox', '--port', 'abc']],
    ['a call without a tool', ['call']],
    ['a registration without a name', ['register', 'openapi.yaml']],
    ['a registration to show without an id', ['registrations', 'show']],
    ['a preset id without a category', ['presets', 'new', 'fuel-prices']],
    ['an invalid preset address', ['presets', 'new', 'a/b', '--url', 'example.com']],
  ])('exits with 2 for %s and explains it on standard error', async (_what, args) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^(error: |Usage: )/);
  });
});

test('a full disk is reported with the file that could not grow, or with DATA_DIR', () => {
  const full = (path?: string) =>
    Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC', path });
  expect(textOf(full('/mnt/backups/a.db'))).toBe(
    'No disk space is left for /mnt/backups/a.db. Free some, or write to another disk.',
  );
  expect(textOf(new Error('No backup.', { cause: full('/mnt/b.db') }))).toContain('/mnt/b.db');
  expect(textOf(full())).toContain('in DATA_DIR');
  for (const errcode of [13, 4874]) {
    expect(textOf(Object.assign(new Error('full'), { errcode }))).toContain('in DATA_DIR');
  }
  expect(textOf('other')).toBe('other');
});

let dir: string;
beforeEach(async () => {
  dir = await makeDataDir();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await removeDir(dir);
});

async function file(name: string, text: string | Buffer): Promise<string> {
  await writeFile(join(dir, name), text);
  return join(dir, name);
}

it('the last file wins, and the environment wins over all', async () => {
  const environment = { A: 'set', EMPTY: '' };
  const files = [
    await file('one', 'A=1\nB="1 # no comment"\nC=1\nEMPTY=1'),
    await file('two', '# comment\nexport C=2'),
  ];
  loadEnvFiles(files, environment);
  expect(environment).toEqual({ A: 'set', B: '1 # no comment', C: '2', EMPTY: '' });
});

it('refuses a file that is too large', async () => {
  const large = await file('large', `A=${'x'.repeat(MAX_ENV_FILE_BYTES)}`);
  expect(() => loadEnvFiles([large], {})).toThrow(`has more than ${MAX_ENV_FILE_BYTES} bytes`);
});

it.each([
  ['before a command', ['--env-file', 'FILE', 'keys', 'list']],
  ['after it', ['keys', 'list', '--env-file', 'FILE']],
  ['with a group', ['keys', '--env-file=FILE', 'list']],
])('every command accepts it: %s', async (_where, args) => {
  vi.stubEnv('PORT', undefined);
  const path = await file('wrong', 'PORT=abc');
  const words = args.map((word) => word.replace('FILE', path));
  expect(await runWithin(...words)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'PORT must be a whole number from 0 to 65535.\n',
  });
});

it('names a file that cannot be read, and says what to give', async () => {
  const { code, stderr } = await runWithin('keys', 'list', '--env-file', join(dir, 'absent'));
  expect([code, stderr]).toEqual([
    1,
    `--env-file: ${dir}/absent cannot be read (ENOENT). Give the path of a file with a line NAME=value for each setting.\n`,
  ]);
});
