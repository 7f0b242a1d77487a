import { readTextFile, TextFileError } from './read-text-file.ts';

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
