import type { Logger } from 'pino';
import type { Gateway } from '../../compose/start-gateway.ts';
import { SettingsError } from '../../platform/config/settings-error.ts';
import { coalesce } from '../../platform/kernel/coalesce.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';

interface PresetReloadDeps {
  readonly gateway: Pick<Gateway, 'reloadPresets'>;
  readonly sandbox: Pick<Sandbox, 'reload'> | null;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

/**
 * Creates what reads the presets again and takes them into use, one run at a time. If a file cannot be used, all tools
 * stay as they are, and the log says why. It never rejects.
 */
export function createPresetReload({
  gateway,
  sandbox,
  logger,
}: PresetReloadDeps): () => Promise<void> {
  const reload = async (): Promise<void> => {
    try {
      // First, so that the upstream of a new tool exists.
      await sandbox?.reload();
      const hasChanged = await gateway.reloadPresets();
      logger.info(
        `the presets were read again; ${hasChanged ? 'tools or toolsets' : 'no tools or toolsets'} have changed`,
      );
    } catch (error) {
      const isExpected = error instanceof StartupError || error instanceof SettingsError;
      const reason = isExpected ? error.message : 'This is a fault of the gateway.';
      const fields = isExpected ? {} : { err: error };
      logger.error(fields, `The tools of presets stay as they are. ${reason}`);
    }
  };
  return coalesce(reload).run;
}
