import { Command, CommanderError } from 'commander';
import { SettingsError } from '../platform/config/settings.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { StartupError } from '../platform/kernel/startup-error.ts';
import { VERSION } from '../platform/kernel/version.ts';
import { auditCommand } from './audit/audit-command.ts';
import { trailCommand } from './audit/trail-command.ts';
import { callCommand } from './call/call-command.ts';
import { connectCommand } from './connect/connect-command.ts';
import { keysCommand } from './keys/keys-command.ts';
import { tenantsCommand } from './keys/tenants-command.ts';
import { presetsCommand } from './presets/presets-command.ts';
import { sandboxCommand } from './start/sandbox-command.ts';
import { startCommand } from './start/start-command.ts';
import { stdioCommand } from './stdio/stdio-command.ts';

/** Runs one command line and returns its exit code: 0, 1 for a fault, 2 for wrong usage. */
export async function runCli(argv: string[]): Promise<number> {
  const program = new Command('tool-gateway')
    .description('A hosted gateway that turns HTTP data APIs into tools.')
    .version(VERSION)
    .addHelpText('after', '\nSettings are read from the environment; docs/config.md lists them.')
    .exitOverride();
  const commands = [
    startCommand(),
    sandboxCommand(),
    keysCommand(),
    tenantsCommand(),
    presetsCommand(),
    callCommand(),
    connectCommand(),
    stdioCommand(),
    auditCommand(),
    trailCommand(),
  ];
  for (const command of commands) program.addCommand(throwFaults(command));
  try {
    await program.parseAsync(argv);
    return 0;
  } catch (error) {
    return reportFault(error);
  }
}

/** Instead of ending the process, so that every exit code is chosen in one place; no command inherits this. */
function throwFaults(command: Command): Command {
  for (const child of command.commands) throwFaults(child);
  return command.exitOverride();
}

/** Faults in words for the person at the terminal; only what nobody foresaw shows a stack. */
function reportFault(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const foreseen =
    error instanceof SettingsError ||
    error instanceof StartupError ||
    error instanceof GatewayError;
  const text = foreseen
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
  process.stderr.write(`${text}\n`);
  return 1;
}
