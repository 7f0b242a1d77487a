import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replacePrivateFile } from '../database/data-dir.ts';
import { StartupError } from '../kernel/error.ts';
import { Secret } from '../kernel/secret.ts';
import { type EncryptionKey, newEncryptionKey, readEncryptionKey } from './cipher.ts';

export const KEY_FILE_NAME = 'encryption.key';

/**
 * Reads the keys of an embedded gateway, the current one first, and creates the file with one key at the first start. It
 * is readable by its owner alone. Throws StartupError for a file that cannot be read, and for one that is missing although
 * the database has secrets.
 */
export function openKeyFile(
  dataDir: string,
  { hasSecrets = false }: { readonly hasSecrets?: boolean } = {},
): EncryptionKey[] {
  const path = join(dataDir, KEY_FILE_NAME);
  try {
    return readKeys(path);
  } catch (error) {
    if (hasSecrets || !isMissing(error)) throw unusable(path, error);
  }
  try {
    writeKeys(path, [newEncryptionKey()]);
    return readKeys(path);
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Adds a new current key. The others stay, to decrypt what they encrypted. */
export function addKeyToFile(dataDir: string): EncryptionKey[] {
  const path = join(dataDir, KEY_FILE_NAME);
  try {
    writeKeys(path, [newEncryptionKey(), ...readLines(path)]);
    return readKeys(path);
  } catch (error) {
    throw unusable(path, error);
  }
}

const readLines = (path: string): Secret[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => new Secret(line));

function readKeys(path: string): EncryptionKey[] {
  const keys = readLines(path).map(readEncryptionKey);
  if (keys.length === 0) throw new Error('The file is empty.');
  return keys;
}

const writeKeys = (path: string, keys: readonly Secret[]): void =>
  replacePrivateFile(path, `${keys.map((key) => key.reveal()).join('\n')}\n`, true);

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

function unusable(path: string, cause: unknown): StartupError {
  const reason = cause instanceof Error && 'code' in cause ? cause.code : String(cause);
  return new StartupError(
    `The encryption keys in ${path} cannot be used (${reason}). Restore the file from a backup, or set ENCRYPTION_KEY.`,
    { cause },
  );
}
