import { expect, it } from 'vitest';
import { createOwnTools } from './own-tools.ts';

/** As many kinds of codes as the tables may have, with names of usual length. */
const KINDS = Array.from({ length: 20 }, (_, n) => `kind_of_${String(n).padStart(4, '0')}`);

it('the definitions take less than 600 tokens of four characters, with 20 kinds of codes', () => {
  const listed = Object.values(createOwnTools(KINDS)).map(({ tool, description }) => ({
    name: tool.name,
    title: tool.title,
    description,
    inputSchema: tool.inputSchema,
    annotations: { ...tool.annotations, idempotentHint: true },
    _meta: { 'anthropic/alwaysLoad': true },
  }));
  expect(JSON.stringify(listed).length / 4).toBeLessThan(600);
});
