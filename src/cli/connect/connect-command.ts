import { join } from 'node:path';
import { Argument, Command } from 'commander';
import type { NarrowingOptions } from '../../access/connect/connect-clients.ts';
import {
  CONNECT_CLIENT_NAMES,
  type ConnectTarget,
  connectClient,
  connectSnippet,
  signInSnippet,
} from '../../access/connect/connect-clients.ts';
import { commandLine } from '../../platform/kernel/log-lines.ts';
import { PACKAGE_ROOT } from '../../platform/kernel/shipped-files.ts';
import {
  addGatewayOptions,
  addNarrowingOptions,
  type GatewayOptions,
  gatewayKey,
  gatewayUrl,
} from '../shared/gateway-address.ts';
import { formatTable } from '../shared/output.ts';

const WITHOUT_KEY = 'Without a key, a person signs in (docs/oauth.md):';
const WITH_KEY = 'With an API key:';

/** Placeholder for a key in a snippet, as in the documentation. */
const NO_KEY = 'YOUR_API_KEY';

export function connectCommand(): Command {
  const command = new Command('connect')
    .description('Print the configuration that connects an MCP client to the gateway.')
    .addArgument(
      new Argument('[client]', 'the client; without it, list all clients').choices(
        CONNECT_CLIENT_NAMES,
      ),
    );
  return addNarrowingOptions(addGatewayOptions(command))
    .addHelpText(
      'after',
      '\nExample: tool-gateway connect cursor --tools "kma_*" --key $KEY\nFor details of each client, see docs/clients.md.',
    )
    .action(connect);
}

function connect(client: string | undefined, options: GatewayOptions & NarrowingOptions): void {
  if (client === undefined) {
    printClients();
    return;
  }
  const target: ConnectTarget = {
    ...options,
    url: gatewayUrl(options),
    key: gatewayKey(options) ?? NO_KEY,
    command: [process.execPath, join(PACKAGE_ROOT, 'bin/tool-gateway.mjs')],
  };
  const snippet = connectSnippet(client, target);
  const withoutKey = signInSnippet(client, target);
  if (withoutKey !== undefined) {
    process.stderr.write(`${WITHOUT_KEY}\n\n${withoutKey}\n\n${WITH_KEY} `);
  }
  process.stderr.write(`${connectClient(client).instructions}\n`);
  if (snippet.includes(NO_KEY)) {
    process.stderr.write(
      `Replace ${NO_KEY} with a key. To create one, run: ${commandLine('keys create --tenant default')}\n`,
    );
  }
  process.stdout.write(`${snippet}\n`);
}

function printClients(): void {
  const rows = CONNECT_CLIENT_NAMES.map((name) => [name, connectClient(name).title]);
  process.stdout.write(formatTable(['CLIENT', 'FOR'], rows));
}
