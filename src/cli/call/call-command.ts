import { Command } from 'commander';
import { request } from 'undici';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import type { JsonSchema } from '../../tools/model.ts';
import {
  addGatewayOptions,
  type GatewayOptions,
  gatewayUrl,
  requireGatewayKey,
} from '../shared/gateway-address.ts';

export function callCommand(): Command {
  const command = new Command('call')
    .description('Run a tool on a running gateway and print its result as JSON.')
    .argument('<tool>', 'tool name')
    .argument('[arguments...]', 'arguments as name=value');
  return addGatewayOptions(command)
    .addHelpText('after', '\nExample: tool-gateway call frankfurter_rates base=USD quotes=KRW')
    .action(callTool);
}

async function callTool(tool: string, pairs: string[], options: GatewayOptions): Promise<void> {
  const gateway = { url: gatewayUrl(options), key: requireGatewayKey(options) };
  const record = await ask(gateway, 'GET', `/api/v1/tools/${encodeURIComponent(tool)}`);
  const properties =
    (record['inputSchema'] as { properties?: Record<string, JsonSchema> }).properties ?? {};
  const args = Object.fromEntries(pairs.map((pair) => readPair(pair, properties)));
  const answer = await ask(gateway, 'POST', '/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: record['name'], arguments: args },
  });
  if (answer['error']) throw new StartupError(JSON.stringify(answer['error'], null, 2));
  process.stdout.write(`${JSON.stringify(answer['result'], null, 2)}\n`);
}

/** Everything on a command line is text: the tool's own schema says what it stands for. */
function readPair(pair: string, properties: Record<string, JsonSchema>): [string, unknown] {
  const at = pair.indexOf('=');
  if (at < 1) throw new StartupError(`"${pair}" is not of the form name=value.`);
  const [name, text] = [pair.slice(0, at), pair.slice(at + 1)];
  const types = [properties[name]?.['type']].flat();
  if (types.includes('string') || types[0] === undefined) return [name, text];
  try {
    return [name, JSON.parse(text)];
  } catch {
    return [name, text];
  }
}

async function ask(
  gateway: { url: string; key: string },
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const answer = await request(`${gateway.url}${path}`, {
    method,
    headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  }).catch((cause: unknown) => {
    throw new StartupError(`No gateway answers at ${gateway.url}.`, { cause });
  });
  const value = (await answer.body.json()) as Record<string, unknown>;
  if (answer.statusCode >= 400)
    throw new StartupError(String(value['message'] ?? answer.statusCode));
  return value;
}
