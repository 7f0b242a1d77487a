import { expect, it } from 'vitest';
import type { CatalogEntry } from '../../../tools/catalog-entry.ts';
import { LEGACY_ENCODING } from '../legacy/methods.ts';
import { STATELESS_ENCODING } from '../stateless/methods.ts';
import { createToolListEncoder } from './tool-pages.ts';

const entry = (name: string, description: unknown, inputSchema: object): CatalogEntry =>
  ({
    id: name,
    description,
    tool: { name, title: null, inputSchema, parameters: [], annotations: { readOnlyHint: true } },
  }) as unknown as CatalogEntry;

it.each([
  ['up to 2025-11-25', LEGACY_ENCODING],
  ['of 2026-07-28', STATELESS_ENCODING],
])('omits malformed tools from the list %s', (_, encoding) => {
  const entries = [
    entry('good', 'A tool.', { type: 'object', properties: {} }),
    entry('without_description', null, { type: 'object' }),
    entry('without_type', 'A tool.', {}),
    entry('of_text', 'A tool.', { type: 'string' }),
    entry('with a blank', 'A tool.', { type: 'object' }),
    entry('x'.repeat(129), 'A tool.', { type: 'object' }),
  ];
  const encode = createToolListEncoder(encoding, 'plain');
  const tools = JSON.parse(`[${Buffer.concat(encode(entries))}]`);
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(['good']);
  expect(encode(entries)).toBe(encode(entries));
});
