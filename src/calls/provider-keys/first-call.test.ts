import { expect, test } from 'vitest';
import { makePreset, makeTool } from '../../../test/support/catalog-entries.ts';
import { createCatalog } from '../../tools/catalog/catalog.ts';
import type { Tool } from '../../tools/model.ts';
import { firstCallOf } from './tool-readiness.ts';

const requiring = (name: string, properties: Readonly<Record<string, object>>): Tool => ({
  ...makeTool(name),
  inputSchema: { type: 'object', properties, required: Object.keys(properties) },
});

const firstOf = (...tools: Tool[]) =>
  firstCallOf(createCatalog({ presets: [makePreset('a/b', ...tools)] }));

test('the first call is the exchange rates, where they are', () => {
  expect(firstOf(makeTool('a_tool'), makeTool('frankfurter_rates'))).toEqual({
    tool: 'frankfurter_rates',
    arguments: { base: 'USD', quotes: 'KRW,EUR' },
  });
});

test('otherwise it is the smallest that needs no key, changes nothing, and has an example', () => {
  const example = { type: 'string', examples: ['x'] };
  const writing = { readOnlyHint: false, destructiveHint: true, openWorldHint: false };
  expect(
    firstOf(
      { ...makeTool('keyed'), secrets: ['A_KEY'] },
      { ...makeTool('writing'), annotations: writing },
      requiring('unknown', { p: { type: 'string' } }),
      requiring('two', { p: example, q: example }),
      requiring('one', { p: example }),
    ),
  ).toEqual({ tool: 'one', arguments: { p: 'x' } });
});

test('has no first call if every tool needs a key', () => {
  expect(firstOf({ ...makeTool('keyed'), secrets: ['A_KEY'] })).toBeNull();
});
