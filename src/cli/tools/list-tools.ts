import { firstSentence } from '../../dialects/door/signature.ts';
import { type JsonObject, ownText } from '../../platform/kernel/plain-json.ts';
import { cleanLine } from '../../tools/compile/clean-text.ts';
import type { CatalogQuery } from '../../tools/search/search-entries.ts';
import type { GatewayOptions } from '../shared/gateway-address.ts';
import { jsonLines } from '../shared/json-lines.ts';
import { formatTable } from '../shared/table.ts';
import { openToolSource } from './open-tool-source.ts';

interface ListOptions extends GatewayOptions {
  readonly category?: string;
  readonly json?: true;
}

/** Most tools that are listed: more than any caller can see. */
const MAX_LISTED = 10_000;
const MAX_SENTENCE = 80;

export const listTools = (options: ListOptions): Promise<void> =>
  printTools(options, {}, MAX_LISTED);

export const searchTools = (
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
  process.stdout.write(
    json ? jsonLines(tools) : formatTable(['NAME', 'CATEGORY', 'DESCRIPTION'], tools.map(toRow)),
  );
  if (tools.length === 0) process.stderr.write('No tool was found.\n');
}

const toRow = (tool: JsonObject): string[] => [
  ownText(tool, 'name') ?? '',
  ownText(tool, 'category') ?? '',
  cleanLine(firstSentence(ownText(tool, 'description') ?? ''), MAX_SENTENCE),
];
