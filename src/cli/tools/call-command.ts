import { Command, Option } from 'commander';
import type { FileFormat } from '../../calls/results/encode-file.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { type JsonObject, ownObject } from '../../platform/kernel/plain-json.ts';
import {
  addGatewayOptions,
  type GatewayOptions,
  gatewayUrl,
  requireGatewayKey,
} from '../shared/gateway-address.ts';
import { parseCount } from '../shared/options.ts';
import { toolsOfGateway } from '../shared/tool-source.ts';
import { callPlainly, callWithProgress, rowsText } from './call-gateway.ts';
import { printRows } from './print-rows.ts';

interface CallOptions extends GatewayOptions {
  readonly over?: readonly string[];
  readonly where?: readonly string[];
  readonly group?: readonly string[];
  readonly calc?: readonly string[];
  readonly sort?: readonly string[];
  readonly limit?: number;
  readonly fields?: readonly string[];
  readonly dryRun?: true;
  readonly csv?: true;
  readonly ndjson?: true;
  readonly json?: true;
}

export function callCommand(): Command {
  const command = new Command('call')
    .description('Call a tool on a running gateway. Print the result as JSON, or only its rows.')
    .argument('<tool>', 'name of the tool, as shown by tools list')
    .argument('[arguments...]', 'arguments as name=value');
  return addGatewayOptions(addRowOptions(command))
    .addHelpText('after', '\nExample: tool-gateway call frankfurter_rates base=USD quotes=KRW')
    .action(callTool);
}

/** Rows that a call may ask for: more than any response has. */
const MAX_LIMIT = 1_000_000_000;

const addRowOptions = (command: Command): Command =>
  command
    .option(
      '--over <range>',
      'call the tool for every value: ARG=A..B, ARG=a,b or ARG=within:PLACE; repeatable',
      addText,
    )
    .option('--dry-run', 'print what --over costs, without a request')
    .option(
      '--where <condition>',
      'rows to keep: COLUMN=value, COLUMN=a,b or COLUMN=A..B; repeatable',
      addText,
    )
    .option(
      '--group <columns>',
      'columns to group by, or year:, month:, day: of one; comma-separated, repeatable',
      addList,
    )
    .option(
      '--calc <figures>',
      'figures of groups, such as count or median:COLUMN; comma-separated, repeatable',
      addList,
    )
    .option(
      '--sort <columns>',
      'columns to sort by, - before descending ones; comma-separated, repeatable',
      addList,
    )
    .option('--limit <number>', 'rows to keep, from the first', parseCount(MAX_LIMIT))
    .option('--fields <columns>', 'columns to keep; comma-separated, repeatable', addList)
    .addOption(rowsOption('csv', 'print all rows as CSV'))
    .addOption(rowsOption('ndjson', 'print all rows, one JSON object a line'))
    .addOption(rowsOption('json', 'print all rows as one JSON list'));

const FORMATS = ['csv', 'ndjson', 'json'] as const satisfies readonly FileFormat[];

const rowsOption = (format: FileFormat, description: string): Option =>
  new Option(`--${format}`, description).conflicts([
    ...FORMATS.filter((other) => other !== format),
    'dryRun',
  ]);

const addText = (text: string, before: readonly string[] = []): string[] => [...before, text];

const addList = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  ...text.split(',').map((part) => part.trim()),
];

async function callTool(name: string, pairs: string[], options: CallOptions): Promise<void> {
  const gateway = { url: gatewayUrl(options), key: requireGatewayKey(options) };
  const tool = await toolsOfGateway(gateway).find(name);
  const properties = ownObject(ownObject(tool, 'inputSchema'), 'properties');
  const given = Object.fromEntries(pairs.map((pair) => readPair(pair, properties)));
  const args = { ...rowArguments(options), ...given };
  const call = { name: tool['name'], arguments: args };
  const format = FORMATS.find((each) => options[each]);
  if (options.dryRun && args['_over'] === undefined) {
    throw new StartupError('--dry-run tells what a range costs: give one with --over.');
  }
  if (!format) {
    const ask = args['_over'] === undefined ? callPlainly : callWithProgress;
    const result = await ask(gateway, call);
    const printed = options.dryRun ? result['data'] : result;
    process.stdout.write(`${JSON.stringify(printed, null, 2)}\n`);
    return;
  }
  if (!Object.hasOwn(properties, '_fields')) {
    throw new StartupError(`The responses of ${name} have no rows. Leave out --${format}.`);
  }
  const text = rowsText(await callWithProgress(gateway, call, '?result=json'));
  await printRows(gateway, { format, text, limit: args['_limit'] });
}

/** The row arguments of a call. JSON leaves out those that are undefined. */
function rowArguments(options: CallOptions): Record<string, unknown> {
  const { over, where, group, calc, sort, limit, fields, dryRun } = options;
  const isWhole = FORMATS.some((each) => options[each]) && !group && !calc;
  return {
    _over: over,
    _where: where && Object.fromEntries(where.map(readCondition)),
    _group: group,
    _calc: calc,
    _sort: sort,
    _limit: limit,
    // Without it, an answer has only the columns that matter, and its file all of them.
    _fields: fields ?? (isWhole ? ['*'] : undefined),
    _dry_run: dryRun,
  };
}

/** Values on a command line are strings. The schema of the tool determines which of them are JSON. */
function readPair(pair: string, properties: JsonObject): [string, unknown] {
  const [name, text] = splitPair(pair, `"${pair}" is not an argument. Write name=value.`);
  const types = [ownObject(properties, name)['type']].flat();
  if (types.includes('string') || types[0] === undefined) return [name, text];
  try {
    return [name, JSON.parse(text)];
  } catch {
    return [name, text];
  }
}

/** `COLUMN=A..B`, of which one end may be missing, `COLUMN=a,b` or `COLUMN=value`. */
function readCondition(text: string): [string, unknown] {
  const [name, value] = splitPair(
    text,
    `"${text}" is not a condition. Write COLUMN=value, COLUMN=a,b or COLUMN=A..B.`,
  );
  const [, from = '', to = ''] = /^(.*?)\.\.(.*)$/.exec(value) ?? [];
  if (from || to) return [name, { ...(from && { from }), ...(to && { to }) }];
  return [name, value.includes(',') ? value.split(',').map((each) => each.trim()) : value];
}

function splitPair(pair: string, otherwise: string): [string, string] {
  const at = pair.indexOf('=');
  if (at < 1) throw new StartupError(otherwise);
  return [pair.slice(0, at), pair.slice(at + 1)];
}
