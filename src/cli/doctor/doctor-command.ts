import { Command } from 'commander';
import { StartupError } from '../../platform/kernel/error.ts';
import { type GatewayOptions, gatewayUrl } from '../shared/gateway-address.ts';
import type { JsonOption } from '../shared/options.ts';
import { checkInstallation } from './check-installation.ts';
import { checkSignIn, type StepResult } from './check-sign-in.ts';

/** `tool-gateway doctor`: looks for what is wrong, from outside. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Find out why something does not work.')
    .addCommand(
      new Command('all')
        .description(
          'Check settings, database, Redis, disk, clock, ports, provider keys, proxy, backups and sign-in (default).',
        )
        .option('--json', 'print one JSON object per check')
        .addHelpText(
          'after',
          '\nExamples:\n  tool-gateway doctor\n  tool-gateway doctor all --json',
        )
        .action(checkAll),
      { isDefault: true },
    )
    .addCommand(
      new Command('oauth')
        .description(
          'Walk through the sign-in as an MCP host does, up to the page that asks a person.',
        )
        .option(
          '--url <address>',
          'address of the gateway, as people enter it in a host (default: TOOL_GATEWAY_URL, BASE_URL, or the gateway that runs with DATA_DIR)',
        )
        .option('--json', 'print one JSON object per step')
        .addHelpText(
          'after',
          '\nExample: tool-gateway doctor oauth --url https://tools.example.com',
        )
        .action(checkOAuth),
    );
}

async function checkAll({ json }: JsonOption): Promise<void> {
  if (await print(checkInstallation(), json)) return;
  throw new StartupError('A gateway cannot work here. docs/operations.md says more.');
}

async function checkOAuth({ json, ...options }: GatewayOptions & JsonOption): Promise<void> {
  if (await print(checkSignIn(gatewayUrl(options)), json)) return;
  throw new StartupError('A host cannot connect here. docs/oauth.md explains each step.');
}

/** Prints each result as it comes. Resolves with whether none has failed. */
async function print(results: AsyncIterable<StepResult>, json: boolean | undefined) {
  let hasFailed = false;
  for await (const result of results) {
    hasFailed ||= !result.isOk;
    process.stdout.write(json ? `${JSON.stringify(result)}\n` : format(result));
  }
  return !hasFailed;
}

const format = ({ step, isOk, isWarning, finding }: StepResult): string => {
  const state = isWarning ? 'warn' : isOk ? 'ok' : 'failed';
  return `${state.padEnd(6)}  ${step.padEnd(13)} ${finding}\n`;
};
