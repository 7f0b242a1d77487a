import { isObject, type JsonObject, own } from '../../platform/kernel/plain-json.ts';
import type { JsonSchema } from '../model.ts';
import { ANNOTATION_KEYWORDS } from './schema-keywords.ts';

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
