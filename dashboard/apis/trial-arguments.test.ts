import { expect, it } from 'vitest';
import { exampleOf, parametersOf, readArguments } from './trial-arguments.ts';

it.each([
  ['', {}],
  ['{"a":1}', { a: 1 }],
  ['[]', null],
  ['null', null],
  ['{', null],
])('reads %j', (text, expected) => {
  expect(readArguments(text)).toEqual(expected);
});

const SCHEMA = {
  type: 'object',
  required: ['id', 'name', 'kind', 'on'],
  properties: {
    id: { type: 'integer', description: 'Id of the book.', examples: [7] },
    name: { type: ['string', 'null'] },
    kind: { enum: ['a', 'b'] },
    on: { type: 'boolean', default: true },
    limit: { type: 'integer' },
  },
};

it('starts from the required arguments', () => {
  expect(JSON.parse(exampleOf(SCHEMA))).toEqual({ id: 7, name: '', kind: 'a', on: true });
  for (const nothing of [undefined, {}, { properties: [] }]) expect(exampleOf(nothing)).toBe('{}');
});

it('describes every argument', () => {
  expect(parametersOf(SCHEMA).slice(0, 2)).toEqual([
    { name: 'id', type: 'integer', description: 'Id of the book.', isRequired: true },
    { name: 'name', type: 'string | null', description: '', isRequired: true },
  ]);
});
