import { parseEnv } from 'node:util';
import { Command, CommanderError } from 'commander';
import { readTextFile, TextFileError } from '../platform/config/secret-text.ts';
import { SettingsError } from '../platform/config/settings.ts';
import { sqliteErrorCode } from '../platform/database/sqlite.ts';
import { GatewayError, StartupError } from '../platform/kernel/error.ts';
import { release, VERSION } from '../platform/kernel/version.ts';

/**
 * The commands by name, in the order in which help lists them. Only what is used is loaded: all of them take most of a
 * second.
 */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./start/start-command.ts')).startCommand(),
  sandbox: async () => (await import('./start/sandbox-command.ts')).sandboxCommand(),
  migrate: async () => (await import('./database/migrate-command.ts')).migrateCommand(),
  backup: async () => (await import('./backup/backup-command.ts')).backupCommand(),
  restore: async () => (await import('./backup/restore-command.ts')).restoreCommand(),
  keys: async () => (await import('./keys/keys-command.ts')).keysCommand(),
  oauth: async () => (await import('./oauth/oauth-command.ts')).oauthCommand(),
  tenants: async () => (await import('./people/people-command.ts')).tenantsCommand(),
  people: async () => (await import('./people/people-command.ts')).peopleCommand(),
  presets: async () => (await import('./presets/presets-command.ts')).presetsCommand(),
  openapi: async () => (await import('./openapi/openapi-command.ts')).openapiCommand(),
  register: async () => (await import('./register/register-command.ts')).registerCommand(),
  registrations: async () =>
    (await import('./registrations/registrations-command.ts')).registrationsCommand(),
  secrets: async () => (await import('./secrets/secrets-command.ts')).secretsCommand(),
  tools: async () => (await import('./tools/tools-command.ts')).toolsCommand(),
  call: async () => (await import('./tools/call-command.ts')).callCommand(),
  connect: async () => (await import('./connect/connect-command.ts')).connectCommand(),
  doctor: async () => (await import('./doctor/doctor-command.ts')).doctorCommand(),
  stdio: async () => (await import('./stdio/stdio-command.ts')).stdioCommand(),
  audit: async () => (await import('./audit/audit-command.ts')).auditCommand(),
  trail: async () => (await import('./audit/trail-command.ts')).trailCommand(),
  completion: async () => (await import('./completion/completion-command.ts')).completionCommand(),
};

/** Runs one command line and returns its exit code: 0, 1 for a failure, 2 for wrong usage. */
export async function runCli(argv: string[]): Promise<number> {
  try {
    const program = await createProgram(argv.slice(2));
    await program.parseAsync(argv);
    return 0;
  } catch (error) {
    return reportFailure(error);
  }
}

/** The program with the commands that these arguments may mean; without arguments, with all its commands. */
export async function createProgram(args: readonly string[] = []): Promise<Command> {
  const program = new Command('tool-gateway')
    .description('A hosted gateway that turns HTTP data APIs into tools.')
    .version(isVersionAsked(args) ? release() : VERSION)
    .option(
      '--env-file <path>',
      'read settings from a .env file; for every command, repeatable. The environment wins',
      (path: string, earlier: readonly string[] = []) => [...earlier, path],
    )
    .hook('preAction', (command) => loadEnvFiles(command.opts()['envFile'] ?? [], process.env))
    .addHelpText('after', '\nSettings are read from the environment; docs/config.md lists them.')
    .exitOverride();
  for (const load of commandsFor(args)) program.addCommand(throwOnExit(await load()));
  return program;
}

/** Only then is git asked for the commit. */
const isVersionAsked = (args: readonly string[]): boolean =>
  args.includes('--version') || args.includes('-V');

/** The loaders of the command that the arguments name, or of all: for help, completion and what is misspelt. */
function commandsFor(args: readonly string[]): readonly (() => Promise<Command>)[] {
  const [first] = args.filter((arg, at) => !arg.startsWith('-') && args[at - 1] !== '--env-file');
  if (first === undefined && isVersionAsked(args)) return [];
  const named = first !== undefined && Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  return named && first !== 'completion' ? [named] : Object.values(COMMANDS);
}

/** Makes commands throw instead of exit, so that one place chooses the exit code. Commands do not inherit this. */
function throwOnExit(command: Command): Command {
  for (const child of command.commands) throwOnExit(child);
  return command.exitOverride();
}

/** Prints the message of an expected error, and the stack of any other. */
function reportFailure(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  process.stderr.write(`${textOf(error)}\n`);
  return 1;
}

/** What standard error says of an error. */
export function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const full = fullDisk(error);
  if (full?.path !== undefined) {
    return `No disk space is left for ${full.path}. Free some, or write to another disk.`;
  }
  if (full) {
    return 'No disk space is left in DATA_DIR. Free some, or set DATA_DIR to a directory on another disk.';
  }
  const isExpected =
    error instanceof SettingsError ||
    error instanceof StartupError ||
    error instanceof GatewayError;
  return isExpected ? error.message : (error.stack ?? error.message);
}

/**
 * The error, or the one of its causes, that says that a file could not grow, with the path of that file if it has one: the
 * embedded database has none, and writes to DATA_DIR alone.
 */
function fullDisk(error: unknown): { readonly path?: unknown } | undefined {
  if (!(error instanceof Error)) return undefined;
  const isFull =
    sqliteErrorCode(error) === SQLITE_FULL ||
    ('errcode' in error && error.errcode === SQLITE_IOERR_SHMSIZE) ||
    ('code' in error && error.code === 'ENOSPC');
  if (!isFull) return fullDisk(error.cause);
  return 'path' in error ? { path: error.path } : {};
}

const SQLITE_FULL = 13;
/** What SQLite says if the file that connections share as memory could not grow. */
const SQLITE_IOERR_SHMSIZE = 4874;

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
