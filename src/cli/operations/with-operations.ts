import { type Command, Option } from 'commander';
import { isLoopbackHost } from '../../platform/kernel/addresses.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { commandLine } from '../../platform/kernel/log-lines.ts';
import {
  type GatewayOptions,
  gatewayKey,
  gatewayUrl,
  givenUrl,
} from '../shared/gateway-address.ts';
import type { Gateway } from '../shared/gateway-request.ts';
import type { DatabaseAccess } from '../shared/with-database.ts';
import type { Feature, OperationRunner, OperationTable } from './operation-runner.ts';
import { runHere } from './run-here.ts';
import { runThere } from './run-there.ts';

export interface ManagementOptions extends GatewayOptions {
  readonly allowHttp?: true;
}

/** The options of a command that can run on another machine than the gateway. */
export function addManagementOptions(command: Command): Command {
  command.option(
    '--url <address>',
    'run it on the gateway at this address (default: TOOL_GATEWAY_URL)',
  );
  // `audit list` has another one.
  if (!hasOption(command, '--key')) {
    command.option(
      '--key <key>',
      'API key with a scope. Prefer TOOL_GATEWAY_API_KEY: other users of this machine see options',
    );
  }
  return command.option(
    '--allow-http',
    'send the API key unencrypted, as within a private network',
  );
}

const hasOption = (command: Command, long: string): boolean =>
  command.options.some((option) => option.long === long);

/** Whether a command is for this machine: neither it nor its environment names a gateway. */
export const isHere = (options: ManagementOptions): boolean => givenUrl(options) === undefined;

/** The one place that chooses where a command runs: on the gateway that is named, or else on this machine. */
export async function withOperations<Table extends OperationTable>(
  feature: Feature<Table>,
  access: DatabaseAccess,
  options: ManagementOptions,
  use: (runner: OperationRunner<Table>) => Promise<void>,
): Promise<void> {
  if (isHere(options)) return runHere(feature, access, use);
  const gateway = managedGateway(options);
  process.stderr.write(`Gateway: ${gateway.url}\n`);
  await use(runThere(feature, gateway));
}

/** Throws StartupError without a key, and for an address to which it would travel unencrypted. */
function managedGateway(options: ManagementOptions): Gateway {
  const url = gatewayUrl(options);
  const { protocol, host } = new URL(url);
  if (protocol === 'http:' && !isLoopbackHost(host) && !options.allowHttp) {
    throw new StartupError(
      `With ${url}, the API key would travel unencrypted. Give an address that starts with https://, or, within a private network, add --allow-http.`,
    );
  }
  const key = gatewayKey(options);
  if (key) return { url, key };
  throw new StartupError(
    `Set TOOL_GATEWAY_API_KEY to an API key with a scope. To create one on the machine of the gateway, run: ${commandLine('keys create --tenant <slug> --scope admin')}`,
  );
}

/** Makes the other commands of a group refuse to run for a gateway elsewhere, rather than use the database of this machine. */
export function onlyHere(group: Command): Command {
  for (const command of group.commands) {
    if (hasOption(command, '--url') || command.commands.length > 0) continue;
    command.addOption(new Option('--url <address>').hideHelp());
    // `audit export` has another one.
    if (!hasOption(command, '--key')) command.addOption(new Option('--key <key>').hideHelp());
    command.hook('preAction', () => {
      if (isHere(command.opts())) return;
      throw onlyHereError(`${group.name()} ${command.name()}`);
    });
  }
  return group;
}

export const onlyHereError = (command: string): StartupError =>
  new StartupError(
    `"${command}" runs only on the machine of the gateway. Run it there, without --url and TOOL_GATEWAY_URL.`,
  );
