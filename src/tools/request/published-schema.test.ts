import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  anthropicIssues,
  geminiIssues,
  hostIssues,
  openAiIssues,
} from '../../../test/support/schema-rules.ts';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { loadPresets } from '../catalog/load-presets.ts';
import type { JsonSchema } from '../model.ts';
import { createArgumentValidator } from './argument-validator.ts';
import { exampleArguments } from './example-arguments.ts';
import { codeKindsOf } from './lenient-arguments.ts';
import { publishedSchema, widePatternsOf, wideSchema } from './published-schema.ts';

const dir = resolve(import.meta.dirname, '../../../presets');
const { presetEntries } = createCatalog(await loadPresets({ dir, domain: PUBLIC_DATA_TOOLS }));
const TOOLS = presetEntries.map(({ tool }) => tool);

const createCheck = (inputSchema: JsonSchema) => {
  const validate = createArgumentValidator({ inputSchema });
  return (args: Record<string, unknown>): boolean => validate(args).length === 0;
};

const checkWide = (tool: Parameters<typeof wideSchema>[0]) => createCheck(wideSchema(tool));

const toolOf = (inputSchema: JsonSchema) => ({
  inputSchema,
  parameters: [],
  widePatterns: widePatternsOf(inputSchema),
});

/** The published schema of an argument, for a tool that has it and definitions. */
const publishedOf = (schema: JsonSchema, $defs: JsonSchema = {}): unknown => {
  const inputSchema = { type: 'object', properties: { value: schema }, $defs };
  return (publishedSchema(toolOf(inputSchema))['properties'] as JsonSchema)['value'];
};

const takes = (schema: JsonSchema, value: unknown): boolean => {
  const tool = toolOf({ type: 'object', properties: { value: schema } });
  const args = { value };
  const answers = [publishedSchema, wideSchema].map((form) => createCheck(form(tool))({ ...args }));
  expect(new Set(answers).size).toBe(1);
  return answers[0] === true;
};

describe('the wide schema', () => {
  it.each(TOOLS.map((tool) => ({ name: tool.name, tool })))(
    'of $name takes the examples, their numbers as text, and names of codes',
    ({ tool }) => {
      const check = checkWide(tool);
      const example = exampleArguments(tool);
      const asText = Object.entries(example).map(([name, value]) => [
        name,
        typeof value === 'number' ? String(value) : value,
      ]);
      const properties = Object.entries((tool.inputSchema['properties'] ?? {}) as object);
      const named = [...codeKindsOf(tool).keys()]
        .filter((name) => !properties.some(([key, schema]) => key === name && 'enum' in schema))
        .map((name) => [name, 'Gangnam-gu, Seoul']);
      expect(check({ ...example })).toBe(true);
      expect(check(Object.fromEntries(asText))).toBe(true);
      expect(check({ ...example, ...Object.fromEntries(named) })).toBe(true);
    },
  );

  it('takes a date or a time in the form of the upstream and in ISO 8601', () => {
    const day = { type: 'string', pattern: '^\\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\\d|3[01])$' };
    const dashed = { type: 'string', pattern: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$' };
    const time = { type: 'string', pattern: '^([01]\\d|2[0-3])[0-5]\\d$' };
    for (const value of ['20261122', '2026-11-22']) {
      expect(takes(day, value)).toBe(true);
      expect(takes(dashed, value)).toBe(true);
    }
    for (const value of ['0500', '05:00']) expect(takes(time, value)).toBe(true);
    for (const value of ['tomorrow', '2026-11']) expect(takes(day, value)).toBe(false);
  });

  it('never takes less: a pattern of several forms of time is left out', () => {
    const period = { type: 'string', pattern: '^\\d{4}((0[1-9]|1[0-2])(0[1-9]|[12]\\d|3[01])?)?$' };
    for (const value of ['2026', '202611', '20261122']) expect(takes(period, value)).toBe(true);
  });

  it('leaves enums, hostile patterns and those of other codes as they are', () => {
    const hostile = { type: 'string', pattern: '^(\\d+)+$' };
    const digits = { type: 'string', pattern: '^\\d{8}$' };
    const units = { type: 'integer', enum: [1, 2] };
    const inputSchema = { type: 'object', properties: { hostile, digits, units } };
    expect(wideSchema(toolOf(inputSchema))).toEqual(inputSchema);
  });
});

describe('the published schema', () => {
  it.each(TOOLS.map((tool) => ({ name: tool.name, tool })))(
    'of $name takes its examples',
    ({ tool }) => {
      const example = Object.entries(exampleArguments(tool)).map(([name, value]) => [
        name,
        typeof value === 'object' && name === '_where' ? JSON.stringify(value) : value,
      ]);
      expect(createCheck(publishedSchema(tool))(Object.fromEntries(example))).toBe(true);
    },
  );

  it.each<[string, JsonSchema, JsonSchema]>([
    ['one type of several', { type: ['null', 'integer', 'string'] }, { type: 'integer' }],
    ['any value as a text', {}, { type: 'string' }],
    [
      'an open object as a text',
      { type: 'object' },
      { type: 'string', description: 'JSON object.' },
    ],
    [
      'an object whose names some refuse as a text',
      { properties: { '@type': { type: 'string' } }, description: 'What' },
      { type: 'string', description: 'What. JSON object with @type.' },
    ],
    ['a list without items', { type: 'array' }, { type: 'array', items: { type: 'string' } }],
    [
      'a list with a schema for each place as a text',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
      { type: 'string', description: 'JSON list.' },
    ],
    ['a constant as the only value', { const: 'a' }, { type: 'string', enum: ['a'] }],
    [
      'each text of an enumeration once, and not the empty one',
      { type: ['string', 'null'], enum: ['a', '', 'a', null] },
      { type: 'string', enum: ['a'] },
    ],
    [
      'numbers of an enumeration as a range and in words',
      { type: 'integer', enum: [3, 1], default: 1 },
      { type: 'integer', description: 'One of 3, 1.', default: 1, minimum: 1, maximum: 3 },
    ],
    [
      'keywords that few know in words',
      { title: 'Day', format: 'date', examples: ['2026-11-22'], deprecated: true },
      { type: 'string', description: 'Day. Deprecated. Format: date. Example: 2026-11-22' },
    ],
    [
      'no pattern that looks around',
      { pattern: '^(?!a).*$', minLength: 1 },
      { type: 'string', minLength: 1 },
    ],
    ['no default of another type', { type: 'integer', default: null }, { type: 'integer' }],
    [
      'a choice of objects with all their properties',
      {
        oneOf: [
          {
            type: 'object',
            properties: { kind: { const: 'a' }, x: { type: 'integer' } },
            required: ['kind', 'x'],
          },
          { type: 'object', properties: { kind: { const: 'b' } }, required: ['kind'] },
        ],
      },
      {
        type: 'object',
        properties: { kind: { type: 'string', enum: ['a', 'b'] }, x: { type: 'integer' } },
        required: ['kind'],
      },
    ],
    [
      'the first of different types, without what is null',
      {
        anyOf: [
          { type: 'null' },
          { type: 'integer', minimum: 1 },
          { type: 'string', enum: ['all'] },
        ],
      },
      { type: 'integer', minimum: 1 },
    ],
    [
      'all that must hold, with what is said beside a reference',
      { allOf: [{ $ref: '#/$defs/Id' }, { maximum: 9 }], description: 'Mine' },
      { type: 'integer', description: 'Mine', minimum: 1, maximum: 9 },
    ],
    [
      'what contains itself as a text',
      { $ref: '#/$defs/Node' },
      {
        type: 'object',
        properties: {
          next: { type: 'string', description: 'JSON object.' },
          id: { type: 'integer', minimum: 1 },
        },
      },
    ],
  ])('has %s', (_, schema, published) => {
    const $defs = {
      Id: { type: 'integer', minimum: 1, description: 'An id' },
      Node: {
        type: 'object',
        properties: { next: { $ref: '#/$defs/Node' }, id: { $ref: '#/$defs/Id', description: '' } },
      },
    };
    expect(publishedOf(schema, $defs)).toEqual(published);
  });

  it('says nothing of what no value fits, and requires only what it has', () => {
    const properties = { never: false, alsoNever: { not: {} }, nothing: { type: 'null' }, a: {} };
    const inputSchema = {
      type: 'object',
      properties,
      required: ['never', 'a'],
      additionalProperties: false,
    };
    expect(publishedSchema(toolOf(inputSchema))).toEqual({
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
    });
  });

  it('has what is required without a schema, which no caller would know of', () => {
    const value = { type: 'object', properties: { a: {} }, required: ['b'] };
    expect(publishedOf(value)).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      required: ['b'],
    });
  });

  it('has no object whose properties no value fits', () => {
    const never = { type: 'object', properties: { a: { additionalProperties: {}, not: {} } } };
    expect(publishedOf(never)).toMatchObject({ type: 'string' });
  });

  it('stays small: what is deep or much is a string', () => {
    const deep = Array.from({ length: 9 }).reduce<JsonSchema>(
      (inner) => ({ type: 'object', properties: { inner } }),
      { type: 'string' },
    );
    expect(JSON.stringify(publishedOf(deep))).toContain('JSON object with inner.');
    const $defs = Object.fromEntries(
      Array.from({ length: 12 }, (_, n) => [
        `L${n}`,
        {
          type: 'object',
          properties: Object.fromEntries(
            Array.from({ length: 9 }, (_, m) => [`p${m}`, { $ref: `#/$defs/L${n + 1}` }]),
          ),
        },
      ]),
    );
    const wide = JSON.stringify(publishedOf({ $ref: '#/$defs/L0' }, $defs));
    expect(wide.length).toBeLessThan(100_000);
  });

  /** Schemas as strangers write them. */
  const { anySchema } = fc.letrec<{ anySchema: JsonSchema }>((tie) => {
    const keyword = (key: string) => KEYWORDS[key]?.(tie('anySchema')) ?? fc.constant(0);
    const withKeywords = fc
      .subarray(Object.keys(KEYWORDS), { maxLength: 5 })
      .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, keyword(key)]))));
    const depth = { maxDepth: 4, depthIdentifier: 'schema' };
    return { anySchema: fc.oneof(depth, fc.constant({}), withKeywords) };
  });

  it('keeps the rules of all model APIs and hosts, whatever a stranger writes', () => {
    fc.assert(
      fc.property(anySchema, anySchema, (schema, other) => {
        const properties = { a: schema, b: { type: 'string' } };
        const published = publishedSchema(toolOf({ type: 'object', properties, $defs: { other } }));
        for (const rule of [geminiIssues, anthropicIssues, openAiIssues, hostIssues]) {
          expect(rule(published)).toEqual([]);
        }
      }),
    );
  });
});

type Schemas = fc.Arbitrary<JsonSchema>;

const names = fc.constantFrom('a', 'b', '$c', 'é', '__proto__', 'x'.repeat(65));
const mapOf = (schema: Schemas) => fc.dictionary(names, schema, { maxKeys: 3 });
const listOf = (schema: Schemas) => fc.array(schema, { minLength: 1, maxLength: 3 });
const typeName = fc.constantFrom(
  'string',
  'integer',
  'number',
  'boolean',
  'array',
  'object',
  'null',
);

const KEYWORDS: Readonly<Record<string, (schema: Schemas) => fc.Arbitrary<unknown>>> = {
  type: () => fc.oneof(typeName, fc.uniqueArray(typeName, { minLength: 1 })),
  properties: mapOf,
  patternProperties: mapOf,
  required: () => fc.uniqueArray(names),
  items: (schema) => schema,
  prefixItems: listOf,
  additionalProperties: (schema) => fc.oneof(fc.boolean(), schema),
  anyOf: listOf,
  oneOf: listOf,
  allOf: listOf,
  not: (schema) => schema,
  if: (schema) => schema,
  $ref: () => fc.constant('#/$defs/other'),
  const: () => fc.jsonValue({ maxDepth: 1 }),
  enum: () => fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1 }),
  default: () => fc.jsonValue({ maxDepth: 1 }),
  examples: () => fc.array(fc.jsonValue({ maxDepth: 1 })),
  pattern: () => fc.constantFrom('^a$', '(?<!a)b', '\\u0041'),
  format: () => fc.constantFrom('date', 'date-time', 'int64'),
  minimum: () => fc.integer(),
  exclusiveMaximum: () => fc.integer(),
  minLength: () => fc.nat(),
  minItems: () => fc.nat(),
  description: () => fc.string(),
};
