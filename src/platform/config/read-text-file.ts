import { closeSync, openSync, readSync, statSync } from 'node:fs';

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
