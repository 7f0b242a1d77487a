import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeDataDir, removeDir } from '../../../test/support/temporary-dir.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { handOverCredentials } from './first-credentials.ts';

let dataDir: string;
let logged: string[];
const log = (...args: unknown[]): void => void logged.push(String(args.at(-1)));
const logger = { warn: log, error: log };
beforeEach(async () => {
  dataDir = await makeDataDir();
  logged = [];
});
afterEach(() => removeDir(dataDir));

const created = {
  apiKey: new Secret('tg_live_x'),
  administrator: { email: 'admin@localhost', password: new Secret('abc-def') },
};

it('a terminal shows them, and no file has them', async () => {
  expect(handOverCredentials(created, { isTerminal: true, dataDir, logger })).toEqual({
    apiKey: { lines: ['tg_live_x'] },
    administrator: { lines: ['admin@localhost', 'abc-def'] },
  });
  await expect(stat(join(dataDir, 'first-api-key'))).rejects.toThrow('ENOENT');
  expect(logged).toEqual([]);
});

it('elsewhere they are in files that only their owner can read, and the log says where', async () => {
  const elsewhere = join(dataDir, 'elsewhere');
  await writeFile(elsewhere, 'untouched');
  await symlink(elsewhere, join(dataDir, 'first-api-key'));
  await writeFile(join(dataDir, 'admin-password'), 'old', { mode: 0o666 });
  handOverCredentials(created, { isTerminal: false, dataDir, logger });
  for (const [name, content] of [
    ['first-api-key', 'tg_live_x\n'],
    ['admin-password', 'admin@localhost\nabc-def\n'],
  ] as const) {
    expect(await readFile(join(dataDir, name), 'utf8')).toBe(content);
    expect((await stat(join(dataDir, name))).mode & 0o777).toBe(0o600);
    expect(logged.join()).toContain(join(dataDir, name));
  }
  expect(await readFile(elsewhere, 'utf8')).toBe('untouched');
  expect(logged.join()).not.toMatch(/tg_live_x|abc-def/);
});

it('a credential that cannot be written is not lost without a word', async () => {
  await mkdir(join(dataDir, 'first-api-key'));
  const { apiKey } = handOverCredentials(created, { isTerminal: false, dataDir, logger });
  expect(apiKey).toBeNull();
  expect(logged[0]).toContain(
    'To create another, run: npm run -s cli -- keys create --tenant default',
  );
});

it('nothing is given out by a start that created nothing, or with a password of the settings', () => {
  const none = { apiKey: null, administrator: null };
  const later = { apiKey: null, administrator: null };
  expect(handOverCredentials(later, { isTerminal: false, dataDir, logger })).toEqual(none);
  const chosen = { ...later, administrator: { email: 'a@b', password: null } };
  expect(handOverCredentials(chosen, { isTerminal: true, dataDir, logger })).toEqual(none);
});
