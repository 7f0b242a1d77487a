import { isObject, own, ownObject } from '../../platform/kernel/plain-json.ts';
import type { JsonSchema } from '../model.ts';

/** Values of one list, and members of one object, that are read. */
const MAX_INNER = 1000;
/** References and choices that are followed to the schema of a list or an object. */
const MAX_HOPS = 8;

/** What stands in a list or an object: each value under the name of its schema, with the key at which it stands. */
export interface InnerValues {
  /** The schema of the values: the properties of an object. All are of the same name in a list. */
  readonly inputSchema: JsonSchema;
  readonly isList: boolean;
  readonly entries: readonly (readonly [key: string | number, name: string, value: unknown])[];
  /** The list or the object, with other values at the keys; without those that are left out. */
  readonly join: (values: ReadonlyMap<string | number, unknown>) => unknown;
}

/**
 * The first list or object among some readings of an argument that its schema takes, taken apart, or a list of one value
 * for the value; undefined if no reading is one. The first reading is the argument as it was received. What shows the values of the whole, such as its examples, shows those within.
 */
export function innerValues(
  name: string,
  readings: readonly unknown[],
  { schema, $defs }: { readonly schema: JsonSchema; readonly $defs: unknown },
): InnerValues | undefined {
  const list = branchOf(schema, 'array', $defs);
  const object = branchOf(schema, 'object', $defs);
  const whole = readings.find((one) => (Array.isArray(one) ? list : isObject(one) && object));
  const shared = $defs === undefined ? {} : { $defs };
  if (list && Array.isArray(whole)) {
    const items = own(list, 'items');
    const most = Math.min(MAX_INNER, Number(own(list, 'maxItems') ?? MAX_INNER));
    if (!isObject(items) || whole.length > most) return undefined;
    const property = showing(items, examplesOf(schema).flat());
    return {
      inputSchema: { properties: { [name]: property }, required: [name], ...shared },
      isList: true,
      entries: whole.map((value, index) => [index, name, value] as const),
      join: (values) => whole.flatMap((_, index) => (values.has(index) ? [values.get(index)] : [])),
    };
  }
  const [only] = (list ? undefined : readings.find(isListOfOne)) ?? [];
  if (only !== undefined && only !== readings[0]) {
    return {
      inputSchema: { properties: { [name]: schema }, required: [name], ...shared },
      isList: true,
      entries: [[0, name, only]],
      join: (values) => values.get(0),
    };
  }
  if (!object || !isObject(whole) || Object.keys(whole).length > MAX_INNER) return undefined;
  const shown = examplesOf(schema).filter(isObject);
  const properties = Object.entries(ownObject(object, 'properties')).map(([member, property]) => [
    member,
    isObject(property)
      ? showing(
          property,
          shown.map((one) => own(one, member)),
        )
      : property,
  ]);
  return {
    inputSchema: {
      properties: Object.fromEntries(properties),
      required: own(object, 'required') ?? [],
      ...shared,
    },
    isList: false,
    entries: Object.entries(whole).map(([member, value]) => [member, member, value] as const),
    join: (values) => Object.fromEntries(values),
  };
}

const isListOfOne = (value: unknown): value is readonly [unknown] =>
  Array.isArray(value) && value.length === 1 && !Array.isArray(value[0]);

const examplesOf = (schema: JsonSchema): unknown[] =>
  [own(schema, 'examples') ?? [], own(schema, 'default') ?? []].flat();

/** A schema that also shows the examples of what it is part of. */
const showing = (schema: JsonSchema, examples: readonly unknown[]): JsonSchema => ({
  ...schema,
  examples: [...[own(schema, 'examples') ?? []].flat(), ...examples],
});

/** The schema itself, or what it refers to or offers, that takes values of a type; undefined if none does. */
function branchOf(
  schema: unknown,
  type: 'array' | 'object',
  $defs: unknown,
  hops = MAX_HOPS,
): JsonSchema | undefined {
  if (!isObject(schema) || hops === 0) return undefined;
  if ([own(schema, 'type')].flat().includes(type)) return schema;
  const reference = /^#\/\$defs\/([^/~%]+)$/.exec(String(own(schema, '$ref')))?.[1];
  const branches = [
    reference !== undefined && isObject($defs) ? own($defs, reference) : [],
    own(schema, 'anyOf') ?? [],
    own(schema, 'oneOf') ?? [],
  ].flat();
  for (const branch of branches) {
    const found = branchOf(branch, type, $defs, hops - 1);
    if (found) return found;
  }
  return undefined;
}
