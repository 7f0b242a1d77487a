import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import type { Sandbox, SandboxOptions } from '../../../sandbox/sandbox.ts';
import { readSettings, type Settings } from '../../platform/config/settings.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { assertShipped } from '../../platform/kernel/shipped-files.ts';
import { endWithParents, untilSignal } from '../shared/until-signal.ts';

const SHIPPED = ['sandbox/facts', 'sandbox/samples', 'sandbox/practice/openapi.yaml'];

/** Starts the simulated upstreams. Only this file imports them, and a gateway without them does not load their code. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  assertShipped(SHIPPED);
  const { createSandbox } = await import('../../../sandbox/sandbox.ts');
  return createSandbox(options);
}

export function sandboxCommand(): Command {
  return new Command('sandbox')
    .description('Start only the sandbox: made-up data for every preset, without network or keys.')
    .option('--port <number>', 'port to listen on; 0 picks a free one', parsePort, 8090)
    .addHelpText('after', '\nExample: tool-gateway sandbox --port 8090')
    .action(async ({ port }: { port: number }) => {
      endWithParents(process.env);
      const settings = readSettings(process.env);
      const { PRESETS_DIR: presetsDir, PRESETS_EXTRA_DIRS: extraDirs, HOST: host } = settings;
      const sandbox = await startSandbox({ presetsDir, extraDirs, host, port });
      process.stdout.write(`The sandbox listens on ${sandbox.url}. GET / describes it.\n`);
      await untilSignal();
      await sandbox.close();
    });
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new InvalidArgumentError('Give a whole number from 0 to 65535.');
  }
  return port;
}

/** The data directory of a gateway with the sandbox, if none is set: its keys and records are not among real ones. */
export const SANDBOX_DATA_DIR = 'data-sandbox';

/**
 * The settings of a gateway with the sandbox: the environment, with another data directory unless one is set.
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
