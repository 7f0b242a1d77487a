import { describe, expect, test } from 'vitest';
import { readArguments, writeValues } from './form-values.ts';
import { readFields } from './read-fields.ts';

const INPUT = {
  type: 'object',
  properties: {
    'a.b': { type: 'string', description: 'With a dot.', examples: ['x'] },
    count: { type: 'integer', minimum: 1, default: 10 },
    lat: { type: 'number' },
    code: { type: 'integer', enum: [1, 2] },
    kind: {
      oneOf: [
        { const: 'D', title: 'daily' },
        { const: 'M', title: 'monthly' },
      ],
    },
    isNew: { type: ['boolean', 'null'] },
    day: { type: 'string', format: 'date' },
    columns: { type: 'array', items: { type: 'string' } },
    numbers: { type: 'array', items: { type: 'integer' } },
    businesses: { type: 'array', items: { type: 'object' } },
    shared: { $ref: '#/$defs/Shared' },
  },
  required: ['count', 'lat'],
  $defs: { Shared: { type: 'object', description: 'Defined elsewhere.' } },
};
const fields = readFields(INPUT);

/** The arguments that one entry leads to, and its issue. */
function read(name: string, entry: string | string[]) {
  const at = fields.findIndex((field) => field.name === name);
  const { arguments: args, issues } = readArguments(fields, { [`field${at}`]: entry });
  return issues[`field${at}`] ?? args[name];
}

describe('readFields', () => {
  test('keeps the order of the schema', () => {
    expect(fields.map(({ name }) => name).slice(0, 3)).toEqual(['a.b', 'count', 'lat']);
  });

  test('says how each argument is entered', () => {
    expect(Object.fromEntries(fields.map(({ name, kind }) => [name, kind]))).toEqual({
      'a.b': 'text',
      count: 'integer',
      lat: 'number',
      code: 'choice',
      kind: 'choice',
      isNew: 'choice',
      day: 'date',
      columns: 'list',
      numbers: 'list',
      businesses: 'json',
      shared: 'json',
    });
  });

  test('follows references, and shows titles, examples and defaults', () => {
    const of = (wanted: string) => fields.find(({ name }) => name === wanted);
    expect(of('shared')?.description).toBe('Defined elsewhere.');
    expect(of('kind')?.choices).toEqual([
      { value: 'D', label: 'D – daily' },
      { value: 'M', label: 'M – monthly' },
    ]);
    expect([of('a.b')?.placeholder, of('count')?.placeholder]).toEqual(['x', '10']);
  });

  test.each([{}, { properties: null }, { properties: { x: true } }])('reads %j', (schema) => {
    expect(readFields(schema).every(({ kind }) => kind === 'json')).toBe(true);
  });
});

describe('readArguments', () => {
  test.each([
    ['a.b', ' as entered ', ' as entered '],
    ['count', '12', 12],
    ['count', '1.5', 'integer'],
    ['count', '', 'required'],
    ['lat', '37.5', 37.5],
    ['lat', 'north', 'number'],
    ['lat', 'Infinity', 'number'],
    ['code', '2', 2],
    ['kind', 'M', 'M'],
    ['isNew', 'false', false],
    ['isNew', '', undefined],
    ['columns', ['a', ' ', 'b'], ['a', 'b']],
    ['columns', [], undefined],
    ['numbers', ['1', '2'], [1, 2]],
    ['numbers', ['x'], 'number'],
    ['businesses', '[{"no":"1"}]', [{ no: '1' }]],
    ['businesses', '[{', 'json'],
  ] as const)('reads %s from %j', (name, entry, expected) => {
    expect(read(name, typeof entry === 'string' ? entry : [...entry])).toEqual(expected);
  });

  test('reads what writeValues writes', () => {
    const args = {
      count: 3,
      lat: -1.5,
      'a.b': 'text',
      code: 1,
      isNew: true,
      numbers: [1, 2],
      businesses: [{ no: '1' }],
      shared: { deep: [1] },
    };
    expect(readArguments(fields, writeValues(fields, args))).toEqual({
      arguments: args,
      issues: {},
    });
  });

  test('drops arguments that the tool does not have', () => {
    const values = writeValues(fields, { count: 1, lat: 1, unknown: 2 });
    expect(readArguments(fields, values).arguments).toEqual({ count: 1, lat: 1 });
  });
});

describe('arguments that vary', () => {
  const ranged = readFields({
    properties: { month: { type: 'string' }, _over: { type: 'array', items: { type: 'string' } } },
    required: ['month'],
  });

  test('are left out, though they are required', () => {
    const values = { field0: '202501', field1: ['month=202501..202502'] };
    expect(readArguments(ranged, values)).toEqual({
      arguments: { _over: ['month=202501..202502'] },
      issues: {},
    });
  });

  test('name the end of a range of the upstream, too', () => {
    const pair = readFields(
      {
        properties: { from: {}, to: { type: 'string' }, _over: { type: 'array', items: {} } },
        required: ['from', 'to'],
      },
      { to: 'from' },
    );
    const values = { field1: '2025', field2: ['from=2024..2025'] };
    expect(readArguments(pair, values)).toEqual({
      arguments: { _over: ['from=2024..2025'] },
      issues: {},
    });
  });

  test('have an issue until both ends are there', () => {
    expect(readArguments(ranged, { field1: ['month=202501..'] }).issues).toEqual({
      field0: 'range',
    });
  });

  test('are read from an address in both notations', () => {
    const texts = { field0: '', field1: ['month=1..2'] };
    expect(writeValues(ranged, { _over: ['month=1..2'] })).toEqual(texts);
    expect(writeValues(ranged, { _over: { month: { from: 1, to: 2 } } })).toEqual(texts);
  });
});
