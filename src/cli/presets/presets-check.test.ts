import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { makePreset, makeTool } from '../../../test/support/catalog-entries.ts';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import { loadPresets } from '../../tools/catalog/load-presets.ts';
import { loadToolsets, type Toolset, toolsetsDir } from '../../tools/catalog/toolsets.ts';
import { storeFaults } from './presets-check.ts';

const PRESETS = resolve(import.meta.dirname, '../../../presets');

test('the shipped toolsets fit the directories', async () => {
  const { presets } = await loadPresets({ dir: PRESETS, domain: PUBLIC_DATA_TOOLS });
  const toolsets = await loadToolsets({
    dir: toolsetsDir(PRESETS),
    toolNames: presets.flatMap(({ tools }) => tools.map(({ name }) => name)),
    ownToolNames: ['find_code'],
  });
  expect([...toolsets.keys()]).toEqual([
    'korean-economy',
    'real-estate',
    'travel-korea',
    'weather-korea',
    'world-data',
  ]);
  expect(storeFaults(toolsets, presets)).toEqual([]);
});

test('a toolset with long texts, many tools or unfit tools does not', () => {
  const names = Array.from({ length: 11 }, (_, n) => `t_${n}`);
  const writing = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
  const tools = names.map((name) => ({ ...makeTool(name), title: name }));
  const [first = makeTool('t_0'), ...others] = tools;
  const preset = makePreset('a/b', { ...first, title: null, annotations: writing }, ...others);
  const toolset: Toolset = {
    name: 'long',
    title: 'x'.repeat(61),
    description: 'x'.repeat(301),
    tools: names,
    ownTools: ['find_code'],
    maxCharacters: null,
    style: null,
    filePath: resolve('toolsets/long.yaml'),
  };
  expect(storeFaults(new Map([['long', toolset]]), [preset])).toEqual([
    'toolsets/long.yaml: The title has 61 characters. Directories accept 60.',
    'toolsets/long.yaml: The description has 301 characters. Directories accept 300.',
    'toolsets/long.yaml: It has 12 tools. Directories accept 10.',
    'toolsets/long.yaml: t_0 has no title.',
    'toolsets/long.yaml: t_0 is not read-only.',
  ]);
});
