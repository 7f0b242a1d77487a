import { Argument, Command } from 'commander';
import {
  addGatewayOptions,
  addNarrowingOptions,
  type GatewayOptions,
  gatewayKey,
  gatewayUrl,
  type NarrowingOptions,
} from '../shared/gateway-address.ts';
import { formatTable } from '../shared/table.ts';
import {
  CONNECT_CLIENT_NAMES,
  CONNECT_CLIENTS,
  type ConnectClientName,
  connectSnippet,
} from './connect-clients.ts';

/** Stands for a key in a snippet, as in the documentation. */
const NO_KEY = 'YOUR_API_KEY';

export function connectCommand(): Command {
  const command = new Command('connect')
    .description('Print what makes an MCP client connect to the gateway.')
    .addArgument(
      new Argument('[client]', 'the client; all are listed when left out').choices(
        CONNECT_CLIENT_NAMES,
      ),
    );
  return addNarrowingOptions(addGatewayOptions(command))
    .addHelpText(
      'after',
      '\nExample: tool-gateway connect cursor --tools "kma_*" --key $KEY\ndocs/clients.md says more about each.',
    )
    .action(connect);
}

function connect(
  client: ConnectClientName | undefined,
  options: GatewayOptions & NarrowingOptions,
): void {
  if (client === undefined) {
    printClients();
    return;
  }
  const target = { ...options, url: gatewayUrl(options), key: gatewayKey(options) ?? NO_KEY };
  process.stderr.write(`${CONNECT_CLIENTS[client].place}\n`);
  if (target.key === NO_KEY) {
    process.stderr.write(
      `Replace ${NO_KEY} with a key; "npm run -s cli -- keys create --tenant default" makes one.\n`,
    );
  }
  process.stdout.write(`${connectSnippet(client, target)}\n`);
}

function printClients(): void {
  const rows = CONNECT_CLIENT_NAMES.map((name) => [name, CONNECT_CLIENTS[name].title]);
  process.stdout.write(formatTable(['CLIENT', 'FOR'], rows));
}
