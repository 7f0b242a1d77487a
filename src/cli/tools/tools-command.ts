import { Command } from 'commander';
import { shellWord } from '../../access/connect/connect-quote.ts';
import { firstSentence, typeOf } from '../../dialects/gateway-tools/signature.ts';
import { readSettings } from '../../platform/config/settings.ts';
import { commandLine } from '../../platform/kernel/log-lines.ts';
import { isObject, type JsonObject, ownObject, ownText } from '../../platform/kernel/plain-json.ts';
import { cleanLine, cleanText, MAX_DESCRIPTION_LENGTH } from '../../tools/compile/clean-text.ts';
import { exampleOf } from '../../tools/request/example-arguments.ts';
import type { CatalogQuery } from '../../tools/search/search-entries.ts';
import {
  addGatewayOptions,
  type GatewayOptions,
  gatewayKey,
  gatewayUrl,
  givenUrl,
  requireGatewayKey,
} from '../shared/gateway-address.ts';
import type { JsonOption } from '../shared/options.ts';
import { parseCount } from '../shared/options.ts';
import { type Columns, formatTable, printList } from '../shared/output.ts';
import {
  loadPresetCatalog,
  MAX_LISTED,
  type ToolSource,
  toolsOfGateway,
  toolsOfPresets,
} from '../shared/tool-source.ts';

const DEFAULT_MATCHES = 10;
const MAX_MATCHES = 500;

/** All read a running gateway if it is given, and otherwise the presets on this machine. */
export function toolsCommand(): Command {
  const tools = new Command('tools').description(
    'List, search and show tools: with --key, the tools of a running gateway; otherwise the presets.',
  );
  addGatewayOptions(
    tools
      .command('list')
      .description('List the tools, sorted by id.')
      .option('--category <name>', 'only tools of this category')
      .option('--json', 'print one JSON object per line'),
  )
    .addHelpText('after', '\nExample: tool-gateway tools list --category weather')
    .action(listTools);
  addGatewayOptions(
    tools
      .command('search')
      .description('Find tools by words in English or Korean, the best match first.')
      .argument('<words...>', 'words of names, descriptions and arguments')
      .option('--category <name>', 'only tools of this category')
      .option(
        '--limit <number>',
        `number of tools, up to ${MAX_MATCHES}`,
        parseCount(MAX_MATCHES),
        DEFAULT_MATCHES,
      )
      .option('--json', 'print one JSON object per line'),
  )
    .addHelpText('after', '\nExample: tool-gateway tools search 미세먼지 in Busan')
    .action(searchTools);
  addGatewayOptions(
    tools
      .command('show')
      .description('Show what a tool does, its arguments, and how to call it.')
      .argument('<tool>', 'name or id of the tool')
      .option('--json', 'print the tool as JSON'),
  )
    .addHelpText('after', '\nExample: tool-gateway tools show frankfurter_rates')
    .action(showTool);
  return tools;
}

interface ListOptions extends GatewayOptions {
  readonly category?: string;
  readonly json?: true;
}

const MAX_SENTENCE = 80;

const listTools = (options: ListOptions): Promise<void> => printTools(options, {}, MAX_LISTED);

const searchTools = (
  words: readonly string[],
  { limit, ...options }: ListOptions & { readonly limit: number },
): Promise<void> => printTools(options, { q: words.join(' ') }, limit);

async function printTools(
  { category, json, ...gateway }: ListOptions,
  words: CatalogQuery,
  limit: number,
): Promise<void> {
  const source = await openToolSource(gateway);
  const tools = await source.list({ ...words, ...(category && { category }) }, limit);
  await printList(tools, json ? { json } : {}, COLUMNS);
  if (tools.length === 0) process.stderr.write('No tool was found.\n');
}

const COLUMNS: Columns<JsonObject> = {
  NAME: (tool) => ownText(tool, 'name') ?? '',
  CATEGORY: (tool) => ownText(tool, 'category') ?? '',
  DESCRIPTION: (tool) => cleanLine(firstSentence(ownText(tool, 'description') ?? ''), MAX_SENTENCE),
};

/** Longest name or id, and longest text of an argument. */
const MAX_NAME = 300;
const MAX_ARGUMENT = 300;

async function showTool(
  name: string,
  { json, ...gateway }: GatewayOptions & JsonOption,
): Promise<void> {
  const source = await openToolSource(gateway);
  const tool = await source.find(name);
  process.stdout.write(json ? `${JSON.stringify(tool, null, 2)}\n` : describeTool(tool));
}

function describeTool(tool: JsonObject): string {
  const name = cleanLine(ownText(tool, 'name') ?? '', MAX_NAME);
  const schema = ownObject(tool, 'inputSchema');
  const args = Object.entries(ownObject(schema, 'properties')).map(
    ([argument, each]): [string, JsonObject] => [argument, isObject(each) ? each : {}],
  );
  const required = [schema['required']].flat();
  const pairs = args.filter(([argument]) => required.includes(argument)).map(toPair);
  return [
    `${name} (${cleanLine(ownText(tool, 'id') ?? '', MAX_NAME)})\n\n`,
    `${cleanText(ownText(tool, 'description') ?? '', MAX_DESCRIPTION_LENGTH)}\n\n`,
    formatTable(
      ['ARGUMENT', 'TYPE', 'REQUIRED', 'DESCRIPTION'],
      args.map(([argument, each]) => [
        argument,
        typeOf(each),
        required.includes(argument) ? 'yes' : 'no',
        cleanLine(ownText(each, 'description') ?? '', MAX_ARGUMENT),
      ]),
    ),
    `\nTo call it, run: ${commandLine(['call', shellWord(name), ...pairs].join(' '))}\n`,
  ].join('');
}

/** A required argument with an example, as a word of a shell command. */
function toPair([name, schema]: readonly [string, JsonObject]): string {
  const example = exampleOf(schema) ?? '...';
  const text = typeof example === 'string' ? example : JSON.stringify(example);
  const pair = `${name}=${text}`;
  return shellWord(cleanLine(pair.length > MAX_ARGUMENT ? `${name}=...` : pair, MAX_ARGUMENT));
}

/** The gateway of the options or of the environment. Without address and key, the presets, which standard error says. */
async function openToolSource(options: GatewayOptions): Promise<ToolSource> {
  if (givenUrl(options) !== undefined || gatewayKey(options) !== undefined) {
    return toolsOfGateway({ url: gatewayUrl(options), key: requireGatewayKey(options) });
  }
  const settings = readSettings(process.env);
  process.stderr.write(
    `Presets of ${settings.PRESETS_DIR}. For the tools of a running gateway, give an API key with --key or TOOL_GATEWAY_API_KEY.\n`,
  );
  return toolsOfPresets(await loadPresetCatalog(settings));
}
