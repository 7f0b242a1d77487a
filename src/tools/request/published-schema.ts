import { isObject, own } from '../../platform/kernel/plain-json.ts';
import type { JsonSchema, Tool } from '../model.ts';
import { MAX_SCHEMA_SIZE_FOR_ALL } from './argument-validator.ts';
import { codeKindsOf } from './code-kinds.ts';
import { measureSchema } from './measure-schema.ts';
import { safePattern } from './safe-pattern.ts';

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
export function publishedSchema(tool: Pick<Tool, 'inputSchema' | 'parameters'>): JsonSchema {
  const properties = own(tool.inputSchema, 'properties');
  const isRead = measureSchema(tool.inputSchema).size <= MAX_SCHEMA_SIZE_FOR_ALL;
  if (!isObject(properties) || !isRead) return tool.inputSchema;
  const kinds = codeKindsOf(tool);
  return {
    ...tool.inputSchema,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [
        name,
        isObject(schema) ? widened(schema, kinds.has(name)) : schema,
      ]),
    ),
  };
}

function widened(schema: JsonSchema, isCode: boolean): JsonSchema {
  const type = own(schema, 'type');
  if (own(schema, 'enum') !== undefined || own(schema, 'const') !== undefined) return schema;
  if (typeof type === 'string' && OTHER_THAN_TEXT.has(type)) {
    return { ...schema, type: [type, 'string'] };
  }
  const { pattern, ...others } = schema;
  if (type !== 'string' || typeof pattern !== 'string') return schema;
  return isCode ? others : withPattern(others, widePattern(pattern));
}

const withPattern = (schema: JsonSchema, pattern: string | undefined): JsonSchema =>
  pattern === undefined ? schema : { ...schema, pattern };

/** The pattern that also allows ISO 8601; none where several forms of time are allowed already. */
function widePattern(pattern: string): string | undefined {
  const expression = pattern.length <= MAX_TIME_PATTERN ? safePattern(pattern) : undefined;
  const forms = TIME_FORMS.filter(
    ({ written, other }) => expression?.test(written) && !expression.test(other),
  );
  return forms.length > 1 ? undefined : (forms[0]?.wide ?? pattern);
}
