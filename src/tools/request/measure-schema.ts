import { isObject, type JsonObject } from '../../platform/kernel/plain-json.ts';

/** Keywords that describe without constraining: a check does not contain them. */
const ANNOTATIONS = new Set([
  '$anchor',
  '$comment',
  '$schema',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  'deprecated',
  'description',
  'examples',
  'title',
  'writeOnly',
]);

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
