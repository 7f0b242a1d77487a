import cluster from 'node:cluster';
import { Command, InvalidArgumentError, Option } from 'commander';
import { readSettings } from '../../platform/config/settings.ts';
import { endWithParents } from '../shared/until-signal.ts';
import { readSandboxSettings, SANDBOX_DATA_DIR } from './sandbox-settings.ts';

interface StartOptions {
  readonly sandbox?: boolean;
  /** Set by the supervisor for its children: the number of the worker. */
  readonly worker?: number;
}

export function startCommand(): Command {
  return new Command('start')
    .description('Start the gateway.')
    .option(
      '--sandbox',
      `serve made-up data for every tool of a preset, without network or keys; DATA_DIR defaults to ./${SANDBOX_DATA_DIR}`,
    )
    .addOption(new Option('--worker <number>').argParser(parseWorker).hideHelp())
    .addHelpText('after', '\nExample: tool-gateway start --sandbox')
    .action(start);
}

/** Loads only what the process needs: a supervisor has neither presets nor a database. */
async function start({ sandbox = false, worker }: StartOptions): Promise<void> {
  if (!worker && !sandbox && isSandboxForgotten(process.env)) {
    process.stderr.write(
      'npm has kept --sandbox for itself: this is the real gateway. For made-up data, run: npm start -- --sandbox\n',
    );
  }
  // A worker ends with its supervisor.
  if (!worker) endWithParents(process.env);
  const settings = (sandbox ? readSandboxSettings : readSettings)(process.env);
  if (settings.WORKERS > 0 && !worker) {
    const { supervise } = await import('./supervise.ts');
    return supervise(settings);
  }
  const { runGateway } = await import('./run-gateway.ts');
  return runGateway(settings, { sandbox, worker });
}

/** npm turns options before `--` into its own settings, and passes none on. */
const isSandboxForgotten = (env: NodeJS.ProcessEnv): boolean =>
  env['npm_lifecycle_event'] === 'start' && env['npm_config_sandbox'] === 'true';

function parseWorker(text: string): number {
  if (cluster.isWorker && /^\d{1,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Only the gateway itself uses this option. Set WORKERS instead.');
}
