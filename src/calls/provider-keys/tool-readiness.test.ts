import { expect, test } from 'vitest';
import { makePreset, makeTool } from '../../../test/support/catalog-entries.ts';
import { createCatalog } from '../../tools/catalog/catalog.ts';
import type { Tool } from '../../tools/model.ts';
import { toolReadiness } from './tool-readiness.ts';

/** A tool that needs keys, each of which its preset describes. */
const keyed = (name: string, keys: Readonly<Record<string, string>>): Tool => ({
  ...makeTool(name),
  secrets: Object.keys(keys),
  parameters: Object.entries(keys).map(([secret, description]) => ({
    name: secret,
    in: 'query',
    required: true,
    schema: {},
    source: { kind: 'secret', secret, description },
  })) as unknown as Tool['parameters'],
});

const readinessOf = (tools: readonly Tool[], ...set: string[]) =>
  toolReadiness(
    createCatalog({ presets: tools.map((tool) => makePreset(`a/${tool.name}`, tool)) }),
    (name) => set.includes(name),
  );

test('a tool is ready once every key that it needs is set', () => {
  const tools = [makeTool('open'), keyed('one', { A: '' }), keyed('both', { A: '', B: '' })];
  expect(readinessOf(tools)).toMatchObject({ tools: 3, ready: 1 });
  expect(readinessOf(tools, 'A')).toMatchObject({ ready: 2, missing: [{ name: 'B', tools: 1 }] });
  expect(readinessOf(tools, 'A', 'B')).toEqual({ tools: 3, ready: 3, missing: [] });
});

test('missing keys come most useful first, each with its page, or with the site of its pages', () => {
  const tools = [
    keyed('one', { ALONE: 'Apply at https://one.example/apply.' }),
    keyed('two', { PORTAL: 'Apply at https://portal.example/2.' }),
    keyed('three', { PORTAL: 'Apply at https://portal.example/3.' }),
    keyed('four', { NOWHERE: 'Ask. Not https://[ of course.' }),
  ];
  expect(readinessOf(tools).missing).toEqual([
    { name: 'PORTAL', tools: 2, url: 'https://portal.example' },
    { name: 'ALONE', tools: 1, url: 'https://one.example/apply' },
    { name: 'NOWHERE', tools: 1, url: null },
  ]);
});
