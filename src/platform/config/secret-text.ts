import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** Thrown for invalid settings. The message names each one and what is allowed, never the value. */
export class SettingsError extends Error {}

/** Largest file that `NAME_FILE` may name. */
export const MAX_SECRET_FILE_BYTES = 64 * 1024;

/**
 * The text of a secret: the variable `NAME`, or the line in the file that `NAME_FILE` names, as container platforms mount
 * secrets. Undefined if neither is set. Throws SettingsError, which never quotes the file.
 */
export function readSecretText(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const path = environment[`${name}_FILE`];
  if (!path) return environment[name] || undefined;
  if (environment[name]) {
    throw new SettingsError(`${name} and ${name}_FILE are both set. Unset one of them.`);
  }
  try {
    return readOnlyLine(path);
  } catch (error) {
    if (!(error instanceof TextFileError)) throw error;
    throw new SettingsError(
      `${name}_FILE: ${path} ${error.message}. Set it to the path of a file that contains only the secret, as one line.`,
    );
  }
}

function readOnlyLine(path: string): string {
  const line = readTextFile(path, MAX_SECRET_FILE_BYTES).replace(/\r?\n$/, '');
  if (line.trim() === '') throw new TextFileError('is empty');
  if (/[\r\n]/.test(line)) throw new TextFileError('has several lines');
  return line;
}

/** Thrown for a file that cannot be used. The message is what is wrong with it, such as `is not a file`. */
export class TextFileError extends Error {}

/** Reads a file of text in UTF-8, without a byte order mark, which some editors write. Throws TextFileError. */
export function readTextFile(path: string, maxBytes: number): string {
  const bytes = readStart(path, maxBytes + 1);
  if (bytes.length > maxBytes) throw new TextFileError(`has more than ${maxBytes} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new TextFileError('is not text in UTF-8');
  }
}

/** The first bytes of a file, whatever the size that it claims to have. */
function readStart(path: string, maxBytes: number): Buffer {
  try {
    // Opening a named pipe would wait for its writer.
    if (!statSync(path).isFile()) throw new TextFileError('is not a file');
    const file = openSync(path, 'r');
    try {
      return readUpTo(file, maxBytes);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof TextFileError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown error';
    throw new TextFileError(`cannot be read (${code})`);
  }
}

function readUpTo(file: number, maxBytes: number): Buffer {
  const buffer = Buffer.alloc(maxBytes);
  let length = 0;
  while (length < maxBytes) {
    const read = readSync(file, buffer, length, maxBytes - length, null);
    if (read === 0) break;
    length += read;
  }
  return buffer.subarray(0, length);
}
