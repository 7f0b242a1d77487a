import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CatalogEntry } from '../../../tools/catalog-entry.ts';
import { LEGACY_ENCODING } from '../legacy/methods.ts';
import { STATELESS_ENCODING } from '../stateless/methods.ts';
import { createToolListEncoder, decodePageRequest, pageOfTools as pageOf } from './tool-pages.ts';

const pageOfTools = (all: readonly CatalogEntry[], params: unknown) =>
  pageOf(all, decodePageRequest(params));

const entries = Array.from({ length: 23 }, (_, n) => ({
  id: `id_${String(n).padStart(2, '0')}`,
})) as CatalogEntry[];

describe('pages of tools', () => {
  it('contain every tool without a limit or a cursor', () => {
    expect(pageOfTools(entries, undefined)).toEqual({ entries, nextCursor: null });
    expect(pageOfTools(entries, { _meta: {} }).entries).toBe(entries);
  });

  it('contain every tool once, whatever the limit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), (limit) => {
        const seen: CatalogEntry[] = [];
        let page = pageOfTools(entries, { limit });
        seen.push(...page.entries);
        while (page.nextCursor !== null) {
          page = pageOfTools(entries, { cursor: page.nextCursor });
          expect(page.entries.length).toBeGreaterThan(0);
          seen.push(...page.entries);
        }
        expect(seen).toEqual(entries);
      }),
    );
  });

  it('continue at the right tool after a tool is removed', () => {
    const first = pageOfTools(entries, { limit: 5 });
    const left = entries.filter(({ id }) => id !== 'id_04');
    expect(pageOfTools(left, { cursor: first.nextCursor }).entries[0]?.id).toBe('id_05');
  });

  it('start at the first one without a cursor, with null and with an empty text', () => {
    for (const cursor of [undefined, null, '']) {
      expect(pageOfTools(entries, { cursor, limit: null }).entries).toEqual(entries);
    }
  });

  it('refuse an invalid cursor or limit', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.jsonValue()), (cursor) => {
        const given = cursor === null || cursor === '' ? 0 : cursor;
        expect(() => pageOfTools(entries, { cursor: given })).toThrow('Invalid cursor');
      }),
    );
    for (const limit of [0, 501, 1.5, '5', '']) {
      expect(() => pageOfTools(entries, { limit })).toThrow('limit must be an integer');
    }
    expect(() => pageOfTools(entries, [])).toThrow('params must be an object');
  });
});

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
