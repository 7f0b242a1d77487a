import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isObject, ownText } from '../../src/platform/kernel/plain-json.ts';
import { PUBLIC_DATA_TOOLS } from '../../src/public-data/tool-domain.ts';
import { loadPresets } from '../../src/tools/catalog/load-presets.ts';
import { parseDocument } from '../../src/tools/document/parse-document.ts';
import type { PresetServer, Tool } from '../../src/tools/model.ts';
import { exampleArguments } from '../../src/tools/request/example-arguments.ts';
import { plain, table } from './markdown.ts';

const PRESETS = resolve(import.meta.dirname, '../../presets');

/** docs/catalogue.md: every shipped tool, from the definition files. */
export async function cataloguePage(): Promise<string> {
  const { presets } = await loadPresets({ dir: PRESETS, domain: PUBLIC_DATA_TOOLS });
  const categories = [...Map.groupBy(presets, ({ category }) => category)];
  const tools = presets.reduce((sum, preset) => sum + preset.tools.length, 0);
  return `# Catalogue

${presets.length} preset servers with ${tools} tools ship with the gateway. This page is generated from their definition files. Every argument, column and quota of a tool is on its page in the dashboard, with a sample; its description and arguments are also printed by \`npm run -s cli -- tools show frankfurter_rates\` and listed in \`/openapi.json?tools=1\`. To add a tool, see [adding-a-preset.md](adding-a-preset.md).

All arguments but those in the table are optional. In place of \`lat\` and \`lon\`, the forecasts of the weather agency take its grid point, \`nx\` and \`ny\`. The source links to the page of the API, where you apply for its key. A licence is named if the publisher names one.

${categories.map(categorySection).join('\n\n')}

## Not confirmed

No current public source confirms these facts of the definitions:

${(await unconfirmedFacts(presets)).join('\n')}
`;
}

type Category = readonly [name: string, presets: readonly PresetServer[]];

const categorySection = ([name, presets]: Category): string =>
  [
    `## ${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
    table(
      ['Tool', 'What it does', 'Required arguments', 'Source and licence', 'Key'],
      presets.flatMap(({ tools }) => tools.map(toolRow)),
    ),
  ].join('\n\n');

function toolRow(tool: Tool): string[] {
  const { publisher, docUrl, licence } = tool.source;
  const source = docUrl ? `[${publisher}](${docUrl})` : String(publisher);
  return [
    `\`${tool.name}\``,
    plain(tool.title ?? ''),
    codes(Object.keys(exampleArguments(tool))),
    licence.code === 'unknown' ? source : `${source}, ${licence.code}`,
    codes(tool.secrets),
  ];
}

const codes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** What each preset says in `x-unconfirmed`. */
async function unconfirmedFacts(presets: readonly PresetServer[]): Promise<string[]> {
  const facts = presets.map(async ({ id, filePath }) => {
    const { root } = await parseDocument(await readFile(filePath, 'utf8'), filePath);
    const fact = isObject(root) && ownText(root, 'x-unconfirmed');
    return fact ? [`- \`${id}\`: ${plain(fact)}`] : [];
  });
  return (await Promise.all(facts)).flat();
}
