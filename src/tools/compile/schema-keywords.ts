import { closest } from '../../platform/kernel/closest.ts';
import { isExactText } from '../../platform/kernel/exact-number.ts';
import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own } from '../../platform/kernel/plain-json.ts';
import type { Report } from '../document/definition-error.ts';
import type { JsonSchema } from '../model.ts';
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

/** Keywords that describe without constraining. Beside a `$ref` they override the keywords of its target. */
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

const NULL = { type: 'null' };

/** Whether a schema says, in any of the ways that people write it, that its value may be null. */
const saysNull = (schema: unknown): boolean =>
  isObject(schema) &&
  (own(schema, 'nullable') === true ||
    own(schema, 'x-nullable') === true ||
    [schema['type']].flat().includes('null'));

/** Also where one of its forms says so, although the type beside them excludes null. */
const mayBeNull = (schema: JsonObject): boolean =>
  saysNull(schema) ||
  (own(schema, 'type') !== undefined &&
    ['anyOf', 'oneOf'].some((key) => [own(schema, key)].flat().some(saysNull)));

/** The converted schema, which accepts null if the original means it, whatever its other keywords say. */
export function withNull(converted: JsonSchema, original: JsonObject): JsonSchema {
  if (!mayBeNull(original)) return converted;
  const { rules, annotations } = divided(converted);
  const { type, anyOf, oneOf, ...others } = rules;
  const choice = anyOf ?? oneOf;
  if (Array.isArray(choice) && type === undefined && Object.keys(others).length === 0) {
    if (anyOf !== undefined && oneOf !== undefined) return nullOr(rules, annotations);
    // With null as one of several forms, a schema with `oneOf` could match twice.
    return { ...annotations, anyOf: [...choice, ...(choice.some(isNull) ? [] : [NULL])] };
  }
  if (Object.keys(rules).some((key) => COMBINING.has(key))) return nullOr(rules, annotations);
  const types = type === undefined ? undefined : [...new Set([type, 'null'].flat())];
  const values = rules['enum'];
  return {
    ...converted,
    ...(types ? { type: types } : {}),
    ...(Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}),
  };
}

/** Keywords that may refuse null whatever the type says. */
const COMBINING = new Set(['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'const']);

const isNull = (schema: unknown): boolean => isObject(schema) && schema['type'] === 'null';

function nullOr(rules: JsonSchema, annotations: JsonSchema): JsonSchema {
  const { type, ...others } = rules;
  const types = [type ?? []].flat().filter((name) => name !== 'null');
  const [only] = types;
  const plain =
    types.length === 0 ? others : { type: types.length === 1 ? only : types, ...others };
  return { ...annotations, anyOf: [plain, NULL] };
}

function divided(schema: JsonSchema): { rules: JsonSchema; annotations: JsonSchema } {
  const of = (isAnnotation: boolean): JsonSchema =>
    Object.fromEntries(
      Object.entries(schema).filter(([key]) => ANNOTATION_KEYWORDS.has(key) === isAnnotation),
    );
  return { rules: of(false), annotations: of(true) };
}

const BOUNDS = /^(?:exclusiveM|m)(?:in|ax)imum$/;

/** The value of a keyword without what reading or upgrading the document made of it. */
export function plainKeyword(key: string, value: unknown): unknown {
  // The upgrade of 3.0 puts a list of types into a list.
  if (key === 'type' && Array.isArray(value)) return [...new Set(value.flat())];
  // The bounds of 64-bit integers are beyond any double; the nearest one is as good.
  return BOUNDS.test(key) && isExactText(value) ? Number(value) : value;
}

/**
 * Leaves out the values of a number that have more digits than a double keeps, and says so: no check could compare them.
 * Callers may give such numbers, and they are sent as they are written.
 */
export function withoutLongNumbers(
  schema: JsonSchema,
  pointer: string,
  report: Report,
): JsonSchema {
  const types = [schema['type'] ?? []].flat();
  if (!types.includes('integer') && !types.includes('number')) return schema;
  let kept = schema;
  for (const key of ['default', 'const', 'enum']) {
    const values = [schema[key] ?? []].flat();
    if (!values.some(isExactText)) continue;
    const { [key]: _, ...others } = kept;
    const listed = values.slice(0, MAX_LISTED).map(String).join(', ');
    const said = `${key === 'default' ? 'The upstream assumes' : 'One of'} ${listed}.`;
    const description = [others['description'], said].filter(Boolean).join(' ');
    kept = { ...others, description };
    const message = `The ${key} has numbers with more digits than a double keeps, and was left out: such a number is sent as the caller writes it.`;
    report(pointerTo(pointer, key), message);
  }
  return kept;
}

/** Values that a description names. */
const MAX_LISTED = 20;
