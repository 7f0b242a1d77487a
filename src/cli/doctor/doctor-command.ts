import { Command } from 'commander';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { gatewayUrl } from '../shared/gateway-address.ts';
import { jsonLines } from '../shared/json-lines.ts';
import type { JsonOption } from '../shared/json-option.ts';
import { checkSignIn } from './check-sign-in.ts';

/** `tool-gateway doctor`: looks for what is wrong, from outside. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Find out why something does not work.')
    .addCommand(
      new Command('oauth')
        .description(
          'Walk through the sign-in as an MCP host does, up to the page that asks a person.',
        )
        .option(
          '--url <address>',
          'address of the gateway, as people enter it in a host (default: TOOL_GATEWAY_URL, BASE_URL, or the one that runs with DATA_DIR)',
        )
        .option('--json', 'print one JSON object per step')
        .addHelpText(
          'after',
          '\nExample: tool-gateway doctor oauth --url https://tools.example.com',
        )
        .action(checkOAuth),
    );
}

async function checkOAuth(options: { readonly url?: string } & JsonOption): Promise<void> {
  let hasFailed = false;
  for await (const result of checkSignIn(gatewayUrl(options))) {
    hasFailed ||= !result.isOk;
    process.stdout.write(options.json ? jsonLines([result]) : format(result));
  }
  if (hasFailed)
    throw new StartupError('A host cannot connect here. docs/oauth.md explains each step.');
}

const format = ({ step, isOk, finding }: { step: string; isOk: boolean; finding: string }) =>
  `${isOk ? 'ok    ' : 'failed'}  ${step.padEnd(13)} ${finding}\n`;
