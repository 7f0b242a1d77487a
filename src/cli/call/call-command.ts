import { Command } from 'commander';
import { StartupError } from '../../platform/kernel/error.ts';
import { isObject, type JsonObject, ownObject, ownText } from '../../platform/kernel/plain-json.ts';
import { cleanText } from '../../tools/compile/clean-text.ts';
import {
  addGatewayOptions,
  type GatewayOptions,
  gatewayUrl,
  requireGatewayKey,
} from '../shared/gateway-address.ts';
import { askGateway } from '../shared/gateway-request.ts';
import { toolsOfGateway } from '../shared/tool-source.ts';

export function callCommand(): Command {
  const command = new Command('call')
    .description('Call a tool on a running gateway and print the result as JSON.')
    .argument('<tool>', 'name of the tool, as shown by tools list')
    .argument('[arguments...]', 'arguments as name=value');
  return addGatewayOptions(command)
    .addHelpText('after', '\nExample: tool-gateway call frankfurter_rates base=USD quotes=KRW')
    .action(callTool);
}

async function callTool(name: string, pairs: string[], options: GatewayOptions): Promise<void> {
  const gateway = { url: gatewayUrl(options), key: requireGatewayKey(options) };
  const tool = await toolsOfGateway(gateway).find(name);
  const properties = ownObject(ownObject(tool, 'inputSchema'), 'properties');
  const args = Object.fromEntries(pairs.map((pair) => readPair(pair, properties)));
  const response = await askGateway(gateway, 'POST', '/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: tool['name'], arguments: args },
  });
  if (response['error']) throw new StartupError(describeError(ownObject(response, 'error')));
  process.stdout.write(`${JSON.stringify(response['result'], null, 2)}\n`);
}

/** Values on a command line are strings. The schema of the tool determines which of them are JSON. */
function readPair(pair: string, properties: JsonObject): [string, unknown] {
  const at = pair.indexOf('=');
  if (at < 1) throw new StartupError(`"${pair}" is not an argument. Write name=value.`);
  const [name, text] = [pair.slice(0, at), pair.slice(at + 1)];
  const types = [ownObject(properties, name)['type']].flat();
  if (types.includes('string') || types[0] === undefined) return [name, text];
  try {
    return [name, JSON.parse(text)];
  } catch {
    return [name, text];
  }
}

const MAX_MESSAGE_LENGTH = 4_000;

/** What is wrong with each argument, or else the message of the error; and where the call is recorded. */
function describeError(error: JsonObject): string {
  const data = ownObject(error, 'data');
  const issues = Array.isArray(data['errors']) ? data['errors'].filter(isObject) : [];
  const lines = issues.map((issue) =>
    [ownText(issue, 'path')?.slice(1), ownText(issue, 'message')].filter(Boolean).join(' '),
  );
  const auditId = ownText(data, 'auditId');
  const text =
    lines.length > 0 ? lines.join('\n') : (ownText(error, 'message') ?? 'The call failed.');
  return cleanText(auditId ? `${text}\nAudit record: ${auditId}` : text, MAX_MESSAGE_LENGTH);
}
