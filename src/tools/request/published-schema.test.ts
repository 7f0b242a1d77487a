import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { loadPresets } from '../catalog/load-presets.ts';
import type { JsonSchema } from '../model.ts';
import { createArgumentValidator } from './argument-validator.ts';
import { exampleArguments } from './example-arguments.ts';
import { codeKindsOf } from './lenient-arguments.ts';
import { publishedSchema, widePatternsOf } from './published-schema.ts';
import { safePattern } from './safe-pattern.ts';

const dir = resolve(import.meta.dirname, '../../../presets');
const { presetEntries } = createCatalog(await loadPresets({ dir, domain: PUBLIC_DATA_TOOLS }));
const TOOLS = presetEntries.map(({ tool }) => tool);

const createCheck = (inputSchema: JsonSchema) => {
  const validate = createArgumentValidator({ inputSchema });
  return (args: Record<string, unknown>): boolean => validate(args).length === 0;
};

const checkPublished = (tool: Parameters<typeof publishedSchema>[0]) =>
  createCheck(publishedSchema(tool));

const publishedOf = (inputSchema: JsonSchema): JsonSchema =>
  publishedSchema({
    inputSchema,
    parameters: [],
    widePatterns: widePatternsOf(inputSchema, safePattern),
  });

const takes = (schema: JsonSchema, value: unknown): boolean =>
  createCheck(publishedOf({ type: 'object', properties: { value: schema } }))({ value });

describe('the published schema', () => {
  it.each(TOOLS.map((tool) => ({ name: tool.name, tool })))(
    'of $name takes the examples, their numbers as text, and names of codes',
    ({ tool }) => {
      const check = checkPublished(tool);
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
    const properties = { hostile, digits, units };
    const inputSchema = { type: 'object', properties };
    expect(publishedOf(inputSchema)).toEqual(inputSchema);
  });

  it('leaves a schema that is too large to be read leniently as it is', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 2000 }, (_, n) => [`a${n}`, { type: 'integer' }]),
    );
    const inputSchema = { type: 'object', properties };
    expect(publishedOf(inputSchema)).toBe(inputSchema);
  });
});
