import { describe, expect, it } from 'vitest';
import { measureSchema } from './measure-schema.ts';

const text = { type: 'string' };
const copied = {
  properties: { a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/A' } },
  $defs: { A: text },
};
const self = { items: { $ref: '#/$defs/A' } };

describe('the size of a schema', () => {
  it.each([
    ['each schema and each of its keywords', { type: 'string', maxLength: 9 }, 3],
    ['no annotations', { title: 'T', description: 'D', examples: [1, 2], deprecated: true }, 1],
    ['schemas by name', { properties: { a: text, default: text } }, 5],
    ['schemas in lists', { anyOf: [text, true, { items: text }] }, 1 + 2 + 1 + 3],
    ['a definition for each reference that Ajv copies it to', copied, 1 + 2 * (2 + 2)],
    ['a definition with references once', { $ref: '#/$defs/A', $defs: { A: self } }, 2 + 3],
    ['patterns and their schemas', { patternProperties: { '^a': text } }, 1 + 1 + 2],
    ['a list of values or names once', { enum: ['a', 'b', { c: 1 }], required: ['a', 'b'] }, 3],
    ['each dependent name', { dependentRequired: { a: ['b', 'c'], d: ['b'] } }, 4],
    ['a value once, whatever it contains', { default: { type: { type: 1 } }, const: [1, 2] }, 3],
  ])('counts %s', (_, schema, size) => {
    expect(measureSchema(schema).size).toBe(size);
  });
});

it('counts what Ajv copies, so that a check of bounded size is built in bounded time', () => {
  const wide = (schema: object) => ({
    properties: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`p${n}`, schema])),
  });
  const schema = { ...wide({ $ref: '#/$defs/A' }), $defs: { A: wide(text) } };
  expect(measureSchema(schema).size).toBeGreaterThan(50 * 100);
});

describe('the levels of a schema', () => {
  const link = (name: string) => ({ $ref: `#/$defs/${name}` });

  it.each([
    ['of its nesting', { properties: { a: { items: text }, b: text } }, 3],
    ['of the definition that is copied', { items: link('A'), $defs: { A: { items: text } } }, 4],
    [
      'of all definitions with references, since each may be reached from another',
      { items: link('A'), $defs: { A: { items: link('B') }, B: { anyOf: [link('A'), text] } } },
      2 + 2 + 2,
    ],
    ['of schemas, not of values', { default: { a: { b: {} } }, enum: [[[1]]] }, 1],
  ])('are those %s', (_, schema, levels) => {
    expect(measureSchema(schema).levels).toBe(levels);
  });
});
