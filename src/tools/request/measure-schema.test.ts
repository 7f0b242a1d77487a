import { describe, expect, it } from 'vitest';
import { postWith, toolOf } from '../../../test/support/compile-text.ts';
import { createArgumentValidator } from './argument-validator.ts';
import { boundsOf, measureSchema } from './measure-schema.ts';

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

const listOf = (items: object) => ({
  type: 'object',
  properties: { list: { type: 'array', maxItems: 10_000, items } },
});

it('lets the arguments of a small schema have as many values as any call may', () => {
  expect(boundsOf(listOf(text))).toEqual({ maxValues: 10_000, maxDefinitions: 10_000 });
});

it.each([
  ['choices', { anyOf: Array.from({ length: 300 }, (_, n) => ({ required: [`r${n}`] })) }],
  ['patterns', { anyOf: Array.from({ length: 20 }, (_, n) => ({ pattern: `^(a|b)*${n}$` })) }],
  ['long lists of values', { enum: Array.from({ length: 20_000 }, (_, n) => `v${n}`) }],
  ['patterns of names', { patternProperties: { '^a+$': text, '^b+$': text }, minProperties: 1 }],
])('bounds the values of a schema with %s, so that no call blocks the others', (_name, items) => {
  const { maxValues, maxDefinitions } = boundsOf(listOf(items));
  expect(maxValues).toBeLessThan(3000);
  expect(maxValues).toBeGreaterThan(50);
  expect(maxDefinitions).toBe(maxValues);
});

it('says how many values a call may have, and checks as many', async () => {
  const items = { anyOf: Array.from({ length: 300 }, (_, n) => ({ const: n })) };
  const tool = await toolOf(postWith(listOf(items)));
  const { maxValues } = boundsOf(tool.inputSchema);
  const validate = createArgumentValidator(tool);
  const list = (length: number) => ({ list: Array.from({ length }, () => 299) });
  expect(validate(list(maxValues - 1))).toEqual([]);
  expect(validate(list(maxValues))).toEqual([
    {
      path: '',
      message: `The arguments have more than ${maxValues} values. Split them over several calls.`,
    },
  ]);
});
