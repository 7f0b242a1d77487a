import { Command } from 'commander';
import { readSettings } from '../config/settings.ts';
import { createSandbox } from '../sandbox/sandbox.ts';
import { untilSignal } from './until-signal.ts';

export function sandboxCommand(): Command {
  return new Command('sandbox')
    .description(
      'Run only the sandbox upstream: sample answers for every preset, without network or keys.',
    )
    .option('--port <number>', 'port to listen on', '8090')
    .action(async ({ port }: { port: string }) => {
      const { PRESETS_DIR: presetsDir, HOST: host } = readSettings(process.env);
      const sandbox = await createSandbox({ presetsDir, host, port: Number(port) });
      process.stdout.write(`The sandbox answers at ${sandbox.url}; GET / explains it.\n`);
      await untilSignal();
      await sandbox.close();
    });
}
