import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeDataDir, removeDir } from '../../../test/support/temporary-dir.ts';
import { StartupError } from '../kernel/error.ts';
import { addKeyToFile, openKeyFile } from './key-file.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await makeDataDir();
});
afterEach(() => removeDir(dataDir));

const file = () => join(dataDir, 'encryption.key');

it('creates one key, which only the owner of the process can read', () => {
  const keys = openKeyFile(dataDir);
  expect(keys).toHaveLength(1);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(openKeyFile(dataDir).map(({ id }) => id)).toEqual(keys.map(({ id }) => id));
});

it('puts a new key before the old ones', () => {
  const [old] = openKeyFile(dataDir);
  const keys = addKeyToFile(dataDir);
  expect(keys.map(({ id }) => id)).toEqual([expect.any(String), old?.id]);
  expect(keys[0]?.id).not.toBe(old?.id);
  expect(openKeyFile(dataDir).map(({ id }) => id)).toEqual(keys.map(({ id }) => id));
});

it.each(['', '\n', 'not a key\n'])(
  'refuses to start with a file of %j, and keeps it',
  (content) => {
    writeFileSync(file(), content);
    expect(() => openKeyFile(dataDir)).toThrow(StartupError);
    expect(readFileSync(file(), 'utf8')).toBe(content);
  },
);

it('never shows a key in the error', () => {
  openKeyFile(dataDir);
  const text = readFileSync(file(), 'utf8').trim();
  writeFileSync(file(), `${text}x\nbroken`);
  expect(() => openKeyFile(dataDir)).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining(text) }),
  );
});

it('writes no new key where secrets are encrypted with one that is lost', () => {
  expect(() => openKeyFile(dataDir, { hasSecrets: true })).toThrow(
    `The encryption keys in ${file()} cannot be used (ENOENT). Restore the file from a backup, or set ENCRYPTION_KEY.`,
  );
  expect(existsSync(file())).toBe(false);
});

it('refuses to start where the file cannot be read', () => {
  mkdirSync(file());
  expect(() => openKeyFile(dataDir)).toThrow('EISDIR');
});
