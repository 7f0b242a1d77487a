import { resolve } from 'node:path';
import { PUBLIC_DATA_TOOLS } from '../../src/public-data/tool-domain.ts';
import { loadPresets } from '../../src/tools/catalog/load-presets.ts';
import type { PresetServer } from '../../src/tools/model.ts';
import { linkToHeading } from './markdown.ts';
import { presetSection } from './preset-section.ts';

const PRESETS = resolve(import.meta.dirname, '../../presets');

/** docs/catalogue.md: every shipped preset and tool, from the definition files and the samples of the sandbox. */
export async function cataloguePage(): Promise<string> {
  const { presets } = await loadPresets({ dir: PRESETS, domain: PUBLIC_DATA_TOOLS });
  const categories = [...Map.groupBy(presets, ({ category }) => category)];
  const tools = presets.reduce((sum, preset) => sum + preset.tools.length, 0);
  const sections = await Promise.all(categories.map(categorySection));
  return `# Catalogue

${presets.length} preset servers with ${tools} tools ship with the gateway. This page is generated from their definition files and from the samples of the sandbox.

Every example calls a gateway on this machine, with your API key in \`KEY\`. \`npm start -- --sandbox\` starts one with made-up data in the form of the samples, without network or upstream keys. The gateway determines a default marked *computed* when the tool is called, such as the latest publication. Every tool whose response has rows also accepts \`_fields\`, the columns to return, and \`_limit\`, the maximum number of rows. To add a tool, see [adding-a-preset.md](adding-a-preset.md).

${categories.map(contents).join('\n\n')}

${sections.join('\n\n')}
`;
}

type Category = readonly [name: string, presets: readonly PresetServer[]];

const contents = ([name, presets]: Category): string =>
  [
    `**${linkToHeading(titleOf(name))}**`,
    '',
    ...presets.map(
      ({ title, tools }) =>
        `- ${linkToHeading(title)}: ${tools.map((tool) => linkToHeading(tool.name)).join(', ')}`,
    ),
  ].join('\n');

async function categorySection([name, presets]: Category): Promise<string> {
  const sections = await Promise.all(presets.map(presetSection));
  return [`## ${titleOf(name)}`, ...sections].join('\n\n');
}

const titleOf = (category: string): string =>
  `${category.slice(0, 1).toUpperCase()}${category.slice(1)}`;
