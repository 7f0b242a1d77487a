import { isObject, type JsonObject } from '../../platform/kernel/plain-json.ts';

/** Keywords that describe without constraining: a check does not contain them. */
const ANNOTATIONS = new Set(
  (
    '$anchor $comment $schema contentEncoding contentMediaType contentSchema ' +
    'deprecated description examples title writeOnly'
  ).split(' '),
);

/** Keywords with values, not schemas. A check visits a long list in a loop, so its length does not count. */
const VALUES = new Set(['const', 'default', 'dependentRequired', 'enum', 'required', 'type']);

/** Keywords whose members have names of the author's choosing. */
const SCHEMA_MAPS = new Set(['dependentSchemas', 'patternProperties', 'properties']);

/** How much work the building of a check is, on any machine. */
export interface SchemaMeasure {
  /**
   * The schemas, each with its constraining keywords, the names in `dependentRequired` and the patterns of
   * `patternProperties`. A definition that Ajv copies counts at each reference. Time is proportional to this.
   */
  readonly size: number;
  /**
   * The nesting of the schema and of every definition that Ajv makes a function of: it builds a function when it comes to
   * the first reference, so they may all be nested. The stack is proportional to this.
   */
  readonly levels: number;
}

const NOTHING: SchemaMeasure = { size: 0, levels: 0 };

/** Measures of the definitions that Ajv copies to each reference, by reference. */
type Copied = ReadonlyMap<unknown, SchemaMeasure>;

export function measureSchema({ $defs, ...schema }: JsonObject): SchemaMeasure {
  const copied = new Map<unknown, SchemaMeasure>();
  const functions: unknown[] = [];
  for (const [name, definition] of Object.entries(isObject($defs) ? $defs : {})) {
    if (hasReference(definition)) functions.push(definition);
    else copied.set(`#/$defs/${name}`, measureOne(definition, copied));
  }
  return [schema, ...functions]
    .map((each) => measureOne(each, copied))
    .reduce((sum, each) => ({ size: sum.size + each.size, levels: sum.levels + each.levels }));
}

/** The check that finds all issues takes as long to build as the first one. */
export const MAX_SMALL_SIZE = 500;

/** Whether all issues of a call are reported, and what does not fit is read as it is meant. */
export const isSmall = (schema: JsonObject): boolean =>
  measureSchema(schema).size <= MAX_SMALL_SIZE;

function measureOne(schema: unknown, copied: Copied): SchemaMeasure {
  if (!isObject(schema)) return { size: 1, levels: 1 };
  let size = 1;
  let levels = 0;
  for (const [key, value] of Object.entries(schema)) {
    if (ANNOTATIONS.has(key)) continue;
    size += sizeOfKeyword(key, value);
    const inner = key === '$ref' ? [copied.get(value) ?? NOTHING] : measuresOf(key, value, copied);
    for (const measure of inner) {
      size += measure.size;
      levels = Math.max(levels, measure.levels);
    }
  }
  return { size, levels: levels + 1 };
}

/** The size of a keyword itself; the schemas that it holds count for themselves. */
function sizeOfKeyword(key: string, value: unknown): number {
  if (key === 'dependentRequired') return namesIn(value);
  if (key === 'patternProperties') return isObject(value) ? Object.keys(value).length : 0;
  return VALUES.has(key) || typeof value !== 'object' ? 1 : 0;
}

const namesIn = (lists: unknown): number =>
  isObject(lists) ? Object.values(lists).flat().length : 0;

function measuresOf(key: string, value: unknown, copied: Copied): SchemaMeasure[] {
  if (VALUES.has(key) || typeof value !== 'object' || value === null) return [];
  const isMap = SCHEMA_MAPS.has(key) || Array.isArray(value);
  const schemas: unknown[] = isMap ? Object.values(value) : [value];
  return schemas.map((schema) => measureOne(schema, copied));
}

/** Whether Ajv makes a definition a function of its own: if it has a member of this name anywhere. */
function hasReference(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '$ref') || Object.values(value).some(hasReference);
}

/**
 * Parts of a schema times values of a call. A check may meet each value with each part, as a choice of many forms does, and
 * takes up to half a microsecond for it: a tenth of a second in all.
 */
const MAX_WORK = 200_000;

/** How many parts a pattern on a long string counts for, and values of an `enum` that count for one. */
const PARTS_PER_PATTERN = 40;
const ENUM_VALUES_PER_PART = 8;

/** How often the check of a schema may do what at most, so that no call blocks the others. */
export interface CheckBounds {
  readonly maxValues: number;
  /** Definitions that one check may enter; a schema that refers to itself enters them again and again. */
  readonly maxDefinitions: number;
}

const MAX_VALUES = 10_000;
const MAX_DEFINITIONS = 10_000;

export function boundsOf(schema: JsonObject): CheckBounds {
  const fitting = Math.floor(MAX_WORK / (measureSchema(schema).size + costOfTexts(schema)));
  return {
    maxValues: Math.max(1, Math.min(MAX_VALUES, fitting)),
    maxDefinitions: Math.max(1, Math.min(MAX_DEFINITIONS, fitting)),
  };
}

/** What patterns and long lists of values cost beyond their keywords, wherever they are. */
function costOfTexts(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value).reduce((sum: number, each) => sum + costOfTexts(each), 0);
  if (!isObject(value)) return inner;
  const { pattern, patternProperties, enum: choices } = value;
  const patterns =
    Number(typeof pattern === 'string') +
    (isObject(patternProperties) ? Object.keys(patternProperties).length : 0);
  const values = Array.isArray(choices) ? choices.length : 0;
  return inner + PARTS_PER_PATTERN * patterns + Math.ceil(values / ENUM_VALUES_PER_PART);
}
