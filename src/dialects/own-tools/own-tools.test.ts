import { expect, it } from 'vitest';
import { createOwnTools } from './own-tools.ts';

/** As many kinds of codes as the tables may have, with names of usual length. */
const kinds = Array.from({ length: 21 }, (_, n) => `kind_of_${String(n).padStart(4, '0')}`);
const CODES = { kinds, kindNote: 'company needs DART_API_KEY.' };

it('the definitions take less than 600 tokens of four characters, with 21 kinds of codes and a note', () => {
  const listed = Object.values(createOwnTools(CODES)).map(({ tool, description }) => ({
    name: tool.name,
    title: tool.title,
    description,
    inputSchema: tool.inputSchema,
    annotations: { ...tool.annotations, idempotentHint: true },
    _meta: { 'anthropic/alwaysLoad': true },
  }));
  expect(JSON.stringify(listed).length / 4).toBeLessThan(600);
});
