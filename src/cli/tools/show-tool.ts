import { shellWord } from '../../access/connect/connect-quote.ts';
import { typeOf } from '../../dialects/door/signature.ts';
import { commandLine } from '../../platform/kernel/command-line.ts';
import { isObject, type JsonObject, ownObject, ownText } from '../../platform/kernel/plain-json.ts';
import { cleanLine, cleanText, MAX_DESCRIPTION_LENGTH } from '../../tools/compile/clean-text.ts';
import { exampleOf } from '../../tools/request/example-arguments.ts';
import type { GatewayOptions } from '../shared/gateway-address.ts';
import type { JsonOption } from '../shared/json-option.ts';
import { formatTable } from '../shared/table.ts';
import { openToolSource } from './open-tool-source.ts';

/** Longest name or id, and longest text of an argument. */
const MAX_NAME = 300;
const MAX_ARGUMENT = 300;

export async function showTool(
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
