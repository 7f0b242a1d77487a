import { isObject, own, ownObject } from '../../platform/kernel/plain-json.ts';
import type { JsonSchema } from '../model.ts';

/** What a schema says of one value, with its references and its combined schemas joined into it. */
export interface JoinedSchema {
  /** The types that a value may have; null = any, because none is named. */
  readonly types: readonly string[] | null;
  /** All other keywords, as wide as the whole schema: a property may be an `allOf` or `anyOf` of its several schemas. */
  readonly keywords: JsonSchema;
  /** The references that led here, by which recursion is recognised. */
  readonly within: ReadonlySet<string>;
}

const NOWHERE: ReadonlySet<string> = new Set();
const ANY: JoinedSchema = { types: null, keywords: {}, within: NOWHERE };
const NEVER: JoinedSchema = { types: [], keywords: {}, within: NOWHERE };

/** Joins schemas. `within` has the references that were followed to the schema. */
export type JoinSchema = (schema: unknown, within?: ReadonlySet<string>) => JoinedSchema;

/**
 * Creates what joins the schemas of a tool. It looks into at most `maxSteps` schemas altogether and takes the others for
 * schemas that allow anything, because combined schemas can refer to one another.
 */
export function createSchemaJoiner({ $defs }: JsonSchema, maxSteps: number): JoinSchema {
  let steps = 0;

  function join(schema: unknown, within: ReadonlySet<string> = NOWHERE): JoinedSchema {
    if (schema === false) return NEVER;
    if (!isObject(schema) || ++steps > maxSteps) return { ...ANY, within };
    const { $ref, allOf, anyOf, oneOf, not, type, ...others } = schema;
    if (not === true || (isObject(not) && Object.keys(not).length === 0)) return NEVER;
    const types = type === undefined ? null : [type].flat().map(String);
    const { const: constant, ...keywords } = others;
    const values = constant === undefined ? keywords : { ...keywords, enum: [constant] };
    const parts = [
      ...(typeof $ref === 'string' ? [follow($ref, within)] : []),
      ...listOf(allOf).map((member) => join(member, within)),
      ...[anyOf, oneOf].flatMap((choice) => chosen(listOf(choice), within)),
    ];
    return parts.reduceRight((joined, part) => both(part, joined), {
      types,
      keywords: values,
      within,
    });
  }

  /** A schema that contains itself is known by its type alone. */
  function follow(reference: string, within: ReadonlySet<string>): JoinedSchema {
    const name = reference.replace('#/$defs/', '');
    const target = isObject($defs) ? own($defs, name) : undefined;
    if (!within.has(reference)) return join(target, new Set([...within, reference]));
    const { type = 'object' } = isObject(target) ? target : {};
    return { types: [type].flat().map(String), keywords: {}, within };
  }

  function chosen(members: readonly unknown[], within: ReadonlySet<string>): JoinedSchema[] {
    if (members.length === 0) return [];
    return [members.map((member) => join(member, within)).reduce(either)];
  }

  return join;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** What both schemas say; in words, and where they contradict each other, what the second one says. */
function both(first: JoinedSchema, second: JoinedSchema): JoinedSchema {
  const [one, other] = [first.keywords, second.keywords];
  return {
    types: commonTypes(first.types, second.types),
    keywords: {
      ...one,
      ...other,
      ...joinProperties(one, other, 'allOf'),
      ...namesIn('required', [...listOf(own(one, 'required')), ...listOf(own(other, 'required'))]),
      ...valuesOfBoth(own(one, 'enum'), own(other, 'enum')),
    },
    within: first.within.size > second.within.size ? first.within : second.within,
  };
}

function commonTypes(
  first: JoinedSchema['types'],
  second: JoinedSchema['types'],
): JoinedSchema['types'] {
  if (first === null || second === null) return first ?? second;
  const takes = (types: readonly string[], type: string): boolean =>
    types.includes(type) || (type === 'integer' && types.includes('number'));
  return [...new Set([...first, ...second])].filter(
    (type) => takes(first, type) && takes(second, type),
  );
}

function valuesOfBoth(first: unknown, second: unknown): JsonSchema {
  if (!Array.isArray(first) || !Array.isArray(second)) return {};
  const known = new Set(first.map(textOf));
  return { enum: second.filter((value) => known.has(textOf(value))) };
}

/** What one of two schemas says: a keyword of a type that both take counts only if both have it. */
function either(first: JoinedSchema, second: JoinedSchema): JoinedSchema {
  if (first.types?.length === 0 || isNull(first)) return orNull(second, first);
  if (second.types?.length === 0 || isNull(second)) return orNull(first, second);
  const [one, other] = [first.keywords, second.keywords];
  const types =
    first.types && second.types ? [...new Set([...first.types, ...second.types])] : null;
  const within = new Set([...first.within, ...second.within]);
  const sharesTypes =
    !first.types || !second.types || first.types.some((type) => second.types?.includes(type));
  if (!sharesTypes) {
    const values = [...listOf(own(one, 'enum')), ...listOf(own(other, 'enum'))];
    return {
      types,
      keywords: { ...other, ...one, ...(values.length > 0 ? { enum: values } : {}) },
      within,
    };
  }
  return { types, keywords: shared(one, other), within };
}

const isNull = ({ types, keywords }: JoinedSchema): boolean =>
  types?.every((type) => type === 'null') ??
  (Array.isArray(keywords['enum']) && keywords['enum'].every((value) => value === null));

const orNull = (schema: JoinedSchema, { types }: JoinedSchema): JoinedSchema => ({
  ...schema,
  types: schema.types && types ? [...schema.types, ...types] : schema.types,
});

function shared(one: JsonSchema, other: JsonSchema): JsonSchema {
  const equal = Object.entries(one).filter(
    ([key, value]) => WORDS.has(key) || textOf(value) === textOf(own(other, key)),
  );
  const values = [own(one, 'enum'), own(other, 'enum')];
  const items = [own(one, 'items'), own(other, 'items')];
  const needed = listOf(own(other, 'required'));
  return {
    ...Object.fromEntries(equal),
    ...joinProperties(one, other, 'anyOf'),
    ...namesIn(
      'required',
      listOf(own(one, 'required')).filter((name) => needed.includes(name)),
    ),
    ...(values.every(Array.isArray) ? { enum: values.flat() } : {}),
    ...(items.every((item) => item !== undefined) ? { items: { anyOf: items } } : {}),
  };
}

/** What is said in words about one of several forms is better than nothing. */
const WORDS: ReadonlySet<string> = new Set(['description', 'title', 'default', 'examples']);

function joinProperties(one: JsonSchema, other: JsonSchema, how: 'allOf' | 'anyOf'): JsonSchema {
  const properties = new Map(Object.entries(ownObject(one, 'properties')));
  for (const [name, schema] of Object.entries(ownObject(other, 'properties'))) {
    const known = properties.get(name);
    const isSame = known === undefined || textOf(known) === textOf(schema);
    properties.set(name, isSame ? schema : { [how]: [known, schema] });
  }
  return properties.size > 0 ? { properties: Object.fromEntries(properties) } : {};
}

const namesIn = (key: string, names: readonly unknown[]): JsonSchema => ({
  [key]: [...new Set(names)],
});

const textOf = (value: unknown): string => JSON.stringify(value) ?? '';
