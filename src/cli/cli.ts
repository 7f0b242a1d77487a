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
import { openapiCommand } from './openapi/openapi-command.ts';
import { peopleCommand } from './people/people-command.ts';
import { presetsCommand } from './presets/presets-command.ts';
import { registerCommand } from './register/register-command.ts';
import { registrationsCommand } from './registrations/registrations-command.ts';
import { secretsCommand } from './secrets/secrets-command.ts';
import { loadEnvFiles } from './shared/env-file.ts';
import { sandboxCommand } from './start/sandbox-command.ts';
import { startCommand } from './start/start-command.ts';
import { stdioCommand } from './stdio/stdio-command.ts';

/** Runs one command line and returns its exit code: 0, 1 for a failure, 2 for wrong usage. */
export async function runCli(argv: string[]): Promise<number> {
  const program = new Command('tool-gateway')
    .description('A hosted gateway that turns HTTP data APIs into tools.')
    .version(VERSION)
    .option(
      '--env-file <path>',
      'read settings from a .env file; for every command, repeatable. The environment wins',
      (path: string, earlier: readonly string[] = []) => [...earlier, path],
    )
    .hook('preAction', (command) => loadEnvFiles(command.opts()['envFile'] ?? [], process.env))
    .addHelpText('after', '\nSettings are read from the environment; docs/config.md lists them.')
    .exitOverride();
  const commands = [
    startCommand(),
    sandboxCommand(),
    keysCommand(),
    tenantsCommand(),
    peopleCommand(),
    presetsCommand(),
    openapiCommand(),
    registerCommand(),
    registrationsCommand(),
    secretsCommand(),
    callCommand(),
    connectCommand(),
    stdioCommand(),
    auditCommand(),
    trailCommand(),
  ];
  for (const command of commands) program.addCommand(throwOnExit(command));
  try {
    await program.parseAsync(argv);
    return 0;
  } catch (error) {
    return reportFailure(error);
  }
}

/** Makes commands throw instead of exit, so that one place chooses the exit code. Commands do not inherit this. */
function throwOnExit(command: Command): Command {
  for (const child of command.commands) throwOnExit(child);
  return command.exitOverride();
}

/** Prints the message of an expected error, and the stack of any other. */
function reportFailure(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const isExpected =
    error instanceof SettingsError ||
    error instanceof StartupError ||
    error instanceof GatewayError;
  const text = isExpected
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
  process.stderr.write(`${text}\n`);
  return 1;
}
