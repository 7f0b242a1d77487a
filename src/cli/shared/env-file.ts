import { parseEnv } from 'node:util';
import { readTextFile, TextFileError } from '../../platform/config/secret-text.ts';
import { StartupError } from '../../platform/kernel/error.ts';

/** Largest file of `--env-file`. */
export const MAX_ENV_FILE_BYTES = 1024 * 1024;

/**
 * Adds the variables of `.env` files to the environment. The last file that has a variable wins, and one that is already
 * set wins over all files. Throws StartupError for a file that cannot be read.
 */
export function loadEnvFiles(paths: readonly string[], environment: NodeJS.ProcessEnv): void {
  const variables = Object.assign({}, ...paths.map(readEnvFile));
  for (const [name, value] of Object.entries<string>(variables)) environment[name] ??= value;
}

function readEnvFile(path: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readTextFile(path, MAX_ENV_FILE_BYTES));
  } catch (error) {
    if (!(error instanceof TextFileError)) throw error;
    throw new StartupError(
      `--env-file: ${path} ${error.message}. Give the path of a file with a line NAME=value for each setting.`,
    );
  }
}
