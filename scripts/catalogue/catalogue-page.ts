import { resolve } from 'node:path';
import { loadPresets } from '../../src/tools/catalog/load-presets.ts';
import type { PresetServer } from '../../src/tools/model.ts';
import { linkToHeading } from './markdown.ts';
import { presetSection } from './preset-section.ts';

const PRESETS = resolve(import.meta.dirname, '../../presets');

/** docs/catalogue.md: every preset and tool that ships, from the definition files and the sandbox's samples. */
export async function cataloguePage(): Promise<string> {
  const { presets } = await loadPresets({ dir: PRESETS });
  const categories = [...Map.groupBy(presets, ({ category }) => category)];
  const tools = presets.reduce((sum, preset) => sum + preset.tools.length, 0);
  const sections = await Promise.all(categories.map(categorySection));
  return `# Catalogue

${presets.length} preset servers with ${tools} tools ship with the gateway. This page is made from their definition files and from the sandbox's samples.

Every example is a call of a gateway on this machine, with your API key in \`KEY\`; \`npm start -- --sandbox\` starts one that answers with the samples, without network and without keys of your own. A default that is *worked out* is one the gateway finds when it is called, such as the latest publication. Every tool whose answer has rows also takes \`_fields\`, the columns wanted, and \`_limit\`, the most rows wanted. A tool that is missing here is added as [adding-a-preset.md](adding-a-preset.md) shows.

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
