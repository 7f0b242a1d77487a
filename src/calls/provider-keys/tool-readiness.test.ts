import { expect, it, test } from 'vitest';
import { makePreset, makeTool } from '../../../test/support/catalog-entries.ts';
import { PORTAL_FAMILY } from '../../public-data/tool-domain.ts';
import { createCatalog } from '../../tools/catalog/catalog.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import type { Tool } from '../../tools/model.ts';
import { createMaySend, toolReadiness } from './tool-readiness.ts';

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

const entry = (baseUrl: string, ...secrets: string[]) =>
  ({ tool: { baseUrl, secrets } }) as unknown as CatalogEntry;

it('a key may go to hosts of presets that name it, of publishers, and to origins that are allowed', () => {
  const presets = {
    presetEntries: [
      entry('http://one.example/v1', 'ONE'),
      entry('https://two.example:8443', 'TWO', 'ONE'),
      entry('https://three.example', 'THREE'),
    ],
  };
  const maySend = createMaySend(presets, [PORTAL_FAMILY]);
  const key = { name: 'ONE', origins: ['https://allowed.example'] };
  for (const origin of [
    ...['https://one.example', 'https://two.example:8443', 'https://allowed.example'],
    ...['https://apis.data.go.kr', 'http://api.odcloud.kr'],
  ])
    expect([origin, maySend(key, origin)]).toEqual([origin, true]);
  for (const origin of [
    ...['https://three.example', 'https://two.example', 'https://one.example:8443'],
    ...['http://allowed.example', 'https://apis.data.go.kr.example', 'https://one.example.com'],
  ])
    expect([origin, maySend(key, origin)]).toEqual([origin, false]);
  // Presets that are loaded again may name it elsewhere.
  presets.presetEntries = [entry('https://three.example', 'ONE')];
  expect(maySend(key, 'https://three.example')).toBe(true);
  expect(maySend(key, 'https://one.example')).toBe(false);
});
