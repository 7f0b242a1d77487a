import { isObject, own, ownObject } from '../../platform/kernel/plain-json.ts';
import type { JsonSchema, Tool } from '../model.ts';
import { compilePattern } from './compile-pattern.ts';
import { codeKindsOf } from './lenient-arguments.ts';
import { rangeEndOf } from './near-dates.ts';
import { plainSchema } from './plain-schema.ts';

/** Longest pattern that may describe a date or a time. */
const MAX_TIME_PATTERN = 100;

/** What may also be written as text. */
const OTHER_THAN_TEXT = new Set(['integer', 'number', 'boolean', 'array', 'object']);

/** Forms in which upstreams take dates and times, each with a text that no date has in it, and a pattern for it and for ISO 8601. */
const TIME_FORMS: readonly (readonly [written: string, other: string, wide: string])[] = [
  ['20261122', '20269999', '^\\d{4}-?\\d\\d-?\\d\\d$'],
  ['2026-11-22', '2026-99-99', '^\\d{4}-?\\d\\d-?\\d\\d$'],
  ['202611', '202699', '^\\d{4}-?\\d\\d$'],
  ['0600', '9999', '^\\d\\d:?\\d\\d$'],
  ['202611220600', '202699990600', '^\\d{4}-?\\d\\d-?\\d\\d[T ]?\\d\\d:?\\d\\d$'],
  ['2026112206', '2026999906', '^\\d{4}-?\\d\\d-?\\d\\d[T ]?\\d\\d(:?00)?$'],
];

type PublishedTool = Pick<Tool, 'inputSchema' | 'parameters' | 'widePatterns'>;

/**
 * The schema of a tool's arguments as clients and model APIs see it: what any of them refuses is not in it. Calls accept
 * more (docs/contract.md#call-a-tool).
 */
export const publishedSchema = (tool: PublishedTool): JsonSchema =>
  plainSchema(withProperties(tool, (schema) => schema));

/**
 * The whole schema, for clients that check arguments before they send them (`?schema=wide`): besides what `inputSchema`
 * allows, numbers, lists and objects as text.
 */
export const wideSchema = (tool: PublishedTool): JsonSchema => withProperties(tool, orText);

/** The input schema with the dates, times and codes that calls accept. It never allows less than `inputSchema`. */
function withProperties(
  tool: PublishedTool,
  change: (schema: JsonSchema) => JsonSchema,
): JsonSchema {
  const kinds = codeKindsOf(tool);
  const properties = Object.entries(ownObject(tool.inputSchema, 'properties')).map(
    ([name, schema]) => {
      const wide = kinds.has(name) ? null : own(tool.widePatterns, name);
      return [name, isObject(schema) ? change(withPattern(schema, wide)) : schema];
    },
  );
  return { ...tool.inputSchema, properties: Object.fromEntries(properties) };
}

const hasValues = (schema: JsonSchema): boolean =>
  own(schema, 'enum') !== undefined || own(schema, 'const') !== undefined;

function orText(schema: JsonSchema): JsonSchema {
  const type = own(schema, 'type');
  return typeof type === 'string' && OTHER_THAN_TEXT.has(type) && !hasValues(schema)
    ? { ...schema, type: [type, 'string'] }
    : schema;
}

/** `wide`: undefined if the schema keeps its own pattern, null if it is published without one. */
function withPattern(schema: JsonSchema, wide: unknown): JsonSchema {
  const { pattern, ...others } = schema;
  if (wide === undefined || schema['type'] !== 'string' || hasValues(schema)) return schema;
  return wide === null || typeof pattern !== 'string' ? others : { ...others, pattern: wide };
}

/**
 * The patterns of arguments that are dates or times, as wide as what calls accept: ISO 8601, too; null where a pattern
 * already allows several forms, so that none is published. Matches every pattern of the schema against short texts.
 */
export function widePatternsOf(schema: JsonSchema): Readonly<Record<string, string | null>> {
  const widened = Object.entries(ownObject(schema, 'properties')).flatMap(([name, property]) => {
    const pattern = isObject(property) ? own(property, 'pattern') : undefined;
    if (typeof pattern !== 'string' || pattern.length > MAX_TIME_PATTERN) return [];
    const wide = widePattern(compilePattern(pattern), rangeEndOf(name) !== undefined);
    return wide === undefined ? [] : [[name, wide]];
  });
  return Object.fromEntries(widened);
}

function widePattern(
  expression: RegExp | undefined,
  isRangeEnd: boolean,
): string | null | undefined {
  const forms = TIME_FORMS.filter(
    ([written, other]) => expression?.test(written) && !expression.test(other),
  );
  const [[, , wide] = []] = forms;
  if (forms.length > 1) return null;
  // A day is enough for an instant of a range.
  return isRangeEnd ? wide?.replace(/(\[T \].*)\$$/, '($1)?$') : wide;
}
