import type { Logger } from 'pino';
import type { Gateway } from '../../compose/start-gateway.ts';
import { secretsFromEnvironment } from '../../platform/config/settings.ts';
import { SettingsError } from '../../platform/config/settings-error.ts';

/**
 * Reads the provider keys again, of which those in files (`NAME_FILE`) may have changed, and takes them into use. If one
 * cannot be read, every key stays as it is, and the log says why.
 */
export function reloadSecrets(
  gateway: Pick<Gateway, 'useSecrets'>,
  environment: NodeJS.ProcessEnv,
  logger: Pick<Logger, 'info' | 'error'>,
): void {
  try {
    gateway.useSecrets(secretsFromEnvironment(environment));
    logger.info('the provider keys were read again');
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    logger.error(`The provider keys stay as they are. ${error.message}`);
  }
}
