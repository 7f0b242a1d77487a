import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeDataDir, removeDir } from '../../../test/support/temporary-dir.ts';
import { loadEnvFiles, MAX_ENV_FILE_BYTES } from '../cli.ts';
import { runWithin } from '../testing/run-within.ts';

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
