import { expect, it } from 'vitest';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { createToolsEncoder as createLegacyEncoder } from '../mcp/legacy/encode-tools.ts';
import { createToolsEncoder as createStatelessEncoder } from '../mcp/stateless/encode-message.ts';

const entry = (name: string, description: unknown, inputSchema: object): CatalogEntry =>
  ({
    id: name,
    description,
    tool: { name, title: null, inputSchema, annotations: { readOnlyHint: true } },
  }) as unknown as CatalogEntry;

it.each([
  ['up to 2025-11-25', createLegacyEncoder],
  ['of 2026-07-28', createStatelessEncoder],
])('a malformed tool never spoils the list %s', (_, createEncoder) => {
  const entries = [
    entry('good', 'A tool.', { type: 'object', properties: {} }),
    entry('without_description', null, { type: 'object' }),
    entry('without_type', 'A tool.', {}),
    entry('of_text', 'A tool.', { type: 'string' }),
    entry('with a blank', 'A tool.', { type: 'object' }),
    entry('x'.repeat(129), 'A tool.', { type: 'object' }),
  ];
  const encode = createEncoder();
  const tools = JSON.parse(encode(entries).toString());
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(['good']);
  expect(encode(entries)).toBe(encode(entries));
});
