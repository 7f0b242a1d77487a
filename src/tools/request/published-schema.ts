import { isObject, own } from '../../platform/kernel/plain-json.ts';
import type { JsonSchema, Tool } from '../model.ts';
import { MAX_SCHEMA_SIZE_FOR_ALL } from './argument-validator.ts';
import { codeKindsOf } from './code-kinds.ts';
import { measureSchema } from './measure-schema.ts';

/** Longest pattern that may be that of a date or a time. */
const MAX_TIME_PATTERN = 100;

/** What may also be written as text. */
const OTHER_THAN_TEXT = new Set(['integer', 'number', 'boolean', 'array']);

/** A form in which upstreams take dates and times, a text that no date has in that form, and a pattern for the form and for ISO 8601. */
const TIME_FORMS = [
  { written: '20261122', other: '20269999', wide: '^\\d{4}-?\\d\\d-?\\d\\d$' },
  { written: '2026-11-22', other: '2026-99-99', wide: '^\\d{4}-?\\d\\d-?\\d\\d$' },
  { written: '202611', other: '202699', wide: '^\\d{4}-?\\d\\d$' },
  { written: '0600', other: '9999', wide: '^\\d\\d:?\\d\\d$' },
  {
    written: '202611220600',
    other: '202699990600',
    wide: '^\\d{4}-?\\d\\d-?\\d\\d[T ]?\\d\\d:?\\d\\d$',
  },
  {
    written: '2026112206',
    other: '2026999906',
    wide: '^\\d{4}-?\\d\\d-?\\d\\d[T ]?\\d\\d(:?00)?$',
  },
] as const;

/**
 * The schema of a tool's arguments for clients that check arguments before they send them: it also allows numbers and
 * lists as text, ISO 8601 and names of codes, which calls accept (docs/contract.md#call-a-tool). It never allows less
 * than `inputSchema`.
 */
export function publishedSchema(
  tool: Pick<Tool, 'inputSchema' | 'parameters' | 'widePatterns'>,
): JsonSchema {
  const properties = own(tool.inputSchema, 'properties');
  const isRead = measureSchema(tool.inputSchema).size <= MAX_SCHEMA_SIZE_FOR_ALL;
  if (!isObject(properties) || !isRead) return tool.inputSchema;
  const kinds = codeKindsOf(tool);
  return {
    ...tool.inputSchema,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [
        name,
        isObject(schema)
          ? widened(schema, kinds.has(name) ? null : own(tool.widePatterns, name))
          : schema,
      ]),
    ),
  };
}

/** `widePattern`: undefined if the schema keeps its own, null if it is published without a pattern. */
function widened(schema: JsonSchema, widePattern: unknown): JsonSchema {
  const type = own(schema, 'type');
  if (own(schema, 'enum') !== undefined || own(schema, 'const') !== undefined) return schema;
  if (typeof type === 'string' && OTHER_THAN_TEXT.has(type)) {
    return { ...schema, type: [type, 'string'] };
  }
  const { pattern, ...others } = schema;
  if (type !== 'string' || typeof pattern !== 'string') return schema;
  return widePattern === null ? others : { ...others, pattern: widePattern ?? pattern };
}

/**
 * The patterns of arguments that are dates or times, as wide as what calls accept: ISO 8601, too; null where a pattern
 * already allows several forms, so that none is published. Matches every pattern of the schema against short texts.
 */
export function widePatternsOf(
  schema: JsonSchema,
  compile: (pattern: string) => RegExp | undefined,
): Readonly<Record<string, string | null>> {
  const properties = own(schema, 'properties');
  return Object.fromEntries(
    Object.entries(isObject(properties) ? properties : {}).flatMap(([name, property]) => {
      const pattern = isObject(property) ? own(property, 'pattern') : undefined;
      if (typeof pattern !== 'string' || pattern.length > MAX_TIME_PATTERN) return [];
      const wide = widePattern(compile(pattern));
      return wide === undefined ? [] : [[name, wide]];
    }),
  );
}

function widePattern(expression: RegExp | undefined): string | null | undefined {
  const forms = TIME_FORMS.filter(
    ({ written, other }) => expression?.test(written) && !expression.test(other),
  );
  return forms.length > 1 ? null : forms[0]?.wide;
}
