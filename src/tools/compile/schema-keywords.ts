import { isObject } from '../plain-json.ts';

/** How the value of a JSON Schema keyword is carried over. */
type Keyword =
  /** A schema, or true or false. */
  | 'schema'
  | 'schema list'
  /** Names of the author's choosing to schemas. */
  | 'schema map'
  /** Copied when it passes. */
  | ((value: unknown) => boolean);

const isNumber = (value: unknown): boolean => typeof value === 'number';
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const isText = (value: unknown): boolean => typeof value === 'string';
const isList = (value: unknown): boolean => Array.isArray(value);
const isAnything = (): boolean => true;
const isNameList = (value: unknown): boolean =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const isType = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > 0 && isNameList(value) && value.every((type) => TYPES.has(type as string))
    : TYPES.has(value as string);

/**
 * The JSON Schema 2020-12 keywords that reach an input schema, with what they need. All else is left behind: what
 * only OpenAPI knows, and what addresses other schemas, since references are resolved by the compiler. A validator
 * is never shown a keyword whose value it would stumble over.
 */
export const SCHEMA_KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['title', isText],
  ['description', isText],
  ['type', isType],
  // Ajv would find these among its formats, by way of the prototype.
  ['format', (value) => typeof value === 'string' && !(value in Object.prototype)],
  ['enum', (value) => Array.isArray(value) && value.length > 0],
  ['const', isAnything],
  ['default', isAnything],
  ['examples', isList],
  ['deprecated', isFlag],
  ['writeOnly', isFlag],
  ['minimum', isNumber],
  ['maximum', isNumber],
  ['exclusiveMinimum', isNumber],
  ['exclusiveMaximum', isNumber],
  ['multipleOf', (value) => typeof value === 'number' && value > 0],
  ['minLength', isCount],
  ['maxLength', isCount],
  ['pattern', isText],
  ['contentEncoding', isText],
  ['contentMediaType', isText],
  ['contentSchema', 'schema'],
  ['minItems', isCount],
  ['maxItems', isCount],
  ['uniqueItems', isFlag],
  ['items', 'schema'],
  ['prefixItems', 'schema list'],
  ['contains', 'schema'],
  ['minContains', isCount],
  ['maxContains', isCount],
  ['unevaluatedItems', 'schema'],
  ['properties', 'schema map'],
  ['patternProperties', 'schema map'],
  ['required', isNameList],
  ['additionalProperties', 'schema'],
  ['unevaluatedProperties', 'schema'],
  ['propertyNames', 'schema'],
  ['minProperties', isCount],
  ['maxProperties', isCount],
  ['dependentRequired', (value) => isObject(value) && Object.values(value).every(isNameList)],
  ['dependentSchemas', 'schema map'],
  ['allOf', 'schema list'],
  ['anyOf', 'schema list'],
  ['oneOf', 'schema list'],
  ['not', 'schema'],
  ['if', 'schema'],
  ['then', 'schema'],
  ['else', 'schema'],
]);

/** Keywords that describe without constraining: beside a `$ref` they override what its target says. */
export const ANNOTATION_KEYWORDS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'writeOnly',
]);

/** Does a value have one of the schema's types, and is it among its `enum`? */
export function fitsTypeAndEnum(value: unknown, type: unknown, values: unknown): boolean {
  const types = Array.isArray(type) ? type : [type];
  if (type !== undefined && !types.some((name) => hasType(value, name))) return false;
  return !Array.isArray(values) || isObject(value) || isList(value) || values.includes(value);
}

function hasType(value: unknown, type: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return typeof value === type;
}
