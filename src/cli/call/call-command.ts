import { Command } from 'commander';
import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import type { JsonSchema } from '../../tools/model.ts';
import {
  addGatewayOptions,
  type GatewayOptions,
  gatewayUrl,
  requireGatewayKey,
} from '../shared/gateway-address.ts';
import { type Gateway, refusalText, requestGateway } from '../shared/gateway-request.ts';

export function callCommand(): Command {
  const command = new Command('call')
    .description('Call a tool on a running gateway and print the result as JSON.')
    .argument('<tool>', 'tool name')
    .argument('[arguments...]', 'arguments as name=value');
  return addGatewayOptions(command)
    .addHelpText('after', '\nExample: tool-gateway call frankfurter_rates base=USD quotes=KRW')
    .action(callTool);
}

async function callTool(tool: string, pairs: string[], options: GatewayOptions): Promise<void> {
  const gateway = { url: gatewayUrl(options), key: requireGatewayKey(options) };
  const record = await send(gateway, 'GET', `/api/v1/tools/${encodeURIComponent(tool)}`);
  const properties =
    (record['inputSchema'] as { properties?: Record<string, JsonSchema> }).properties ?? {};
  const args = Object.fromEntries(pairs.map((pair) => readPair(pair, properties)));
  const response = await send(gateway, 'POST', '/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: record['name'], arguments: args },
  });
  if (response['error']) throw new StartupError(JSON.stringify(response['error'], null, 2));
  process.stdout.write(`${JSON.stringify(response['result'], null, 2)}\n`);
}

/** Values on a command line are strings. The schema of the tool determines which of them are JSON. */
function readPair(pair: string, properties: Record<string, JsonSchema>): [string, unknown] {
  const at = pair.indexOf('=');
  if (at < 1) throw new StartupError(`"${pair}" is not an argument. Write name=value.`);
  const [name, text] = [pair.slice(0, at), pair.slice(at + 1)];
  const types = [properties[name]?.['type']].flat();
  if (types.includes('string') || types[0] === undefined) return [name, text];
  try {
    return [name, JSON.parse(text)];
  } catch {
    return [name, text];
  }
}

async function send(
  gateway: Gateway,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<JsonObject> {
  const response = await requestGateway(gateway, {
    method,
    path,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (response.status >= 400) throw new StartupError(refusalText(gateway, response));
  return response.body;
}
