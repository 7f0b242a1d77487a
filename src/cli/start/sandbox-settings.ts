import { resolve } from 'node:path';
import { readSettings, type Settings } from '../../platform/config/settings.ts';
import { StartupError } from '../../platform/kernel/error.ts';

/** The data directory of a gateway with the sandbox, if none is set: its keys and records are not among real ones. */
export const SANDBOX_DATA_DIR = 'data-sandbox';

/**
 * The settings of a gateway with the sandbox: those of the environment, with a data directory of its own unless one is set.
 * Throws StartupError with DATABASE_URL: such a database holds the records of real calls. So the sandbox has no workers.
 */
export function readSandboxSettings(environment: NodeJS.ProcessEnv): Settings {
  const settings = readSettings(environment);
  if (settings.DATABASE_URL) {
    throw new StartupError(
      'The sandbox cannot use the database of DATABASE_URL, which is for real data. Unset DATABASE_URL, or start without --sandbox.',
    );
  }
  if (settings.WORKERS > 0) {
    throw new StartupError(
      'The sandbox runs in a single process. Unset WORKERS, or start without --sandbox.',
    );
  }
  return environment['DATA_DIR'] ? settings : { ...settings, DATA_DIR: resolve(SANDBOX_DATA_DIR) };
}
