import { closest } from '../../platform/kernel/closest.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import { isFlag, isText, setOfWords, wholeNumber } from './guards.ts';

/** A JSON Schema keyword that reaches an input schema. */
interface Keyword {
  /** Data is copied; schemas are converted. A map has names of the author's choosing. */
  readonly holds: 'data' | 'schema' | 'schema list' | 'schema map';
  readonly accepts: (value: unknown) => boolean;
  /** Completes the sentence "must be ...". */
  readonly expected: string;
  /** A clearer sentence for some values. */
  readonly issue?: (value: unknown) => string | undefined;
}

const data = (accepts: Keyword['accepts'], expected: string): Keyword => ({
  holds: 'data',
  accepts,
  expected,
});

const isNameList = (value: unknown): boolean =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;

const isNumber = (value: unknown): value is number => typeof value === 'number';

const TYPES: ReadonlySet<unknown> = new Set([
  'array',
  'boolean',
  'integer',
  'null',
  'number',
  'object',
  'string',
]);
const MAX_QUOTED_LENGTH = 50;

/** Names the type that is unknown, and those that are known. */
function unknownType(value: unknown): string | undefined {
  const wrong = [value].flat().find((type) => typeof type === 'string' && !TYPES.has(type));
  if (typeof wrong !== 'string') return undefined;
  const meant = closest(wrong, [...TYPES].map(String));
  const hint = meant ? ` Did you mean "${meant}"?` : '';
  return `The type is left out: "${wrong.slice(0, MAX_QUOTED_LENGTH)}" is unknown.${hint} Known: ${[...TYPES].join(', ')}.`;
}

const isType = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > 0 && isNameList(value) && value.every((type) => TYPES.has(type))
    : TYPES.has(value);

const schema: Keyword = {
  holds: 'schema',
  accepts: (value) => isObject(value) || typeof value === 'boolean',
  expected: 'a schema: an object, true or false',
};
/**
 * The JSON Schema 2020-12 keywords that reach an input schema. All others are omitted: those that only OpenAPI knows,
 * and those that address other schemas, since the compiler resolves references. The validator never sees a keyword
 * with a value that it would fail on.
 */
export const SCHEMA_KEYWORDS: ReadonlyMap<string, Keyword> = new Map(
  Object.entries<Keyword>({
    'title description pattern contentEncoding contentMediaType': data(isText, 'a string'),
    type: {
      ...data(isType, `one of ${[...TYPES].join(', ')}, or an array of distinct ones of these`),
      issue: unknownType,
    },
    // Ajv would find names of Object.prototype among its formats.
    format: data((value) => isText(value) && !(value in Object.prototype), 'the name of a format'),
    examples: data(Array.isArray, 'an array'),
    enum: data((value) => Array.isArray(value) && value.length > 0, 'a non-empty array'),
    'const default': data(() => true, 'a value'),
    'deprecated writeOnly uniqueItems': data(isFlag, 'true or false'),
    'minimum maximum exclusiveMinimum exclusiveMaximum': data(isNumber, 'a number'),
    multipleOf: data((value) => isNumber(value) && value > 0, 'a number greater than 0'),
    'minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties':
      data(wholeNumber(0), 'an integer of at least 0'),
    required: data(isNameList, 'an array of distinct names'),
    dependentRequired: data(
      (value) => isObject(value) && Object.values(value).every(isNameList),
      'an object whose members are arrays of distinct names',
    ),
    'contentSchema items contains unevaluatedItems': schema,
    'additionalProperties unevaluatedProperties propertyNames': schema,
    'not if then else': schema,
    'prefixItems allOf anyOf oneOf': {
      holds: 'schema list',
      accepts: (value) => Array.isArray(value) && value.length > 0,
      expected: 'a non-empty array of schemas',
    },
    'properties patternProperties dependentSchemas': {
      holds: 'schema map',
      accepts: isObject,
      expected: 'an object whose members are schemas',
    },
  }).flatMap(([names, keyword]) => names.split(' ').map((name) => [name, keyword])),
);

/** Keywords that describe without constraining. Beside a `$ref` they override those of its target. */
export const ANNOTATION_KEYWORDS = setOfWords(
  'title description default examples deprecated writeOnly',
);

/** Does a value match the schema's `type` and `enum`? Objects and arrays are not compared with the `enum`. */
export function fitsTypeAndEnum(value: unknown, type: unknown, values: unknown): boolean {
  const types = Array.isArray(type) ? type : [type];
  if (type !== undefined && !types.some((name) => hasType(value, name))) return false;
  return (
    !Array.isArray(values) || isObject(value) || Array.isArray(value) || values.includes(value)
  );
}

/** The value that its author meant where the type excludes it: `1` for "1" and the reverse, or `true`. */
export function asType(value: unknown, type: unknown): unknown {
  const types = [type].flat();
  if (type === undefined || types.some((name) => hasType(value, name))) return value;
  const isScalar = typeof value === 'number' || typeof value === 'boolean';
  if (isScalar && types.includes('string')) return String(value);
  const meant = typeof value === 'string' ? plainScalar(value) : undefined;
  return meant !== undefined && types.some((name) => hasType(meant, name)) ? meant : value;
}

/** The number or the boolean that is written exactly so. */
function plainScalar(text: string): number | boolean | undefined {
  if (text === 'true' || text === 'false') return text === 'true';
  return String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : undefined;
}

function hasType(value: unknown, type: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return typeof value === type;
}
