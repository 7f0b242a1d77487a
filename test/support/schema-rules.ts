/**
 * What model APIs and hosts write about the schemas of tools, as far as a schema can break it. Each rule returns the
 * places that break it, in words.
 */

export type Schema = Readonly<Record<string, unknown>>;

interface Visited {
  readonly schema: Schema;
  readonly place: string;
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** All schemas within a schema, itself first. */
function visit(schema: Schema, place = ''): Visited[] {
  const inner = Object.entries(schema).flatMap(([key, value]) => {
    if (MAPS.has(key) && isSchema(value)) {
      return Object.entries(value).flatMap(([name, member]) =>
        isSchema(member) ? visit(member, `${place}/${name}`) : [],
      );
    }
    if (!SCHEMAS.has(key)) return [];
    const members = [value].flat();
    return members.flatMap((member) => (isSchema(member) ? visit(member, `${place}/${key}`) : []));
  });
  return [{ schema, place }, ...inner];
}

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(' '));
const MAPS = setOf('properties patternProperties $defs definitions dependentSchemas');
const SCHEMAS = setOf(
  'items prefixItems additionalProperties anyOf oneOf allOf not if then else contains propertyNames unevaluatedProperties',
);

const check = (
  schema: Schema,
  rule: (schema: Schema, isRoot: boolean) => readonly string[],
): string[] =>
  visit(schema).flatMap((visited) =>
    rule(visited.schema, visited.place === '').map((issue) => `${visited.place || '/'}: ${issue}`),
  );

const namesOf = (schema: Schema): string[] => Object.keys((schema['properties'] ?? {}) as Schema);

const unknownKeywords = (schema: Schema, known: ReadonlySet<string>): string[] =>
  Object.keys(schema)
    .filter((key) => !known.has(key))
    .map((key) => `unknown keyword ${key}`);

const GEMINI = setOf(
  'type format title description nullable enum maxItems minItems properties required minProperties maxProperties ' +
    'minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum',
);
const GEMINI_TYPES = setOf('string number integer boolean array object');
const GEMINI_FORMATS: Readonly<Record<string, ReadonlySet<string>>> = {
  string: setOf('enum date-time'),
  number: setOf('float double'),
  integer: setOf('int32 int64'),
};

/** `Schema` of the Gemini API (ai.google.dev/api/caching#Schema), which refuses what it does not know. */
export const geminiIssues = (declared: Schema): string[] =>
  check(declared, (schema) => {
    const type = String(schema['type']).toLowerCase();
    const { format, enum: values, items, properties } = schema;
    const names = namesOf(schema);
    const required = [schema['required'] ?? []].flat().map(String);
    return [
      ...unknownKeywords(schema, GEMINI),
      ...(typeof schema['type'] === 'string' && GEMINI_TYPES.has(type) ? [] : ['not one type']),
      ...(format !== undefined && !GEMINI_FORMATS[type]?.has(String(format))
        ? [`format ${format} of ${type}`]
        : []),
      ...(values !== undefined && type !== 'string' ? ['enum of another type than string'] : []),
      ...([values ?? []].flat().every((value) => typeof value === 'string' && value !== '')
        ? []
        : ['enum with an empty value or another type']),
      ...(type === 'array' && !isSchema(items) ? ['array without items'] : []),
      ...(type === 'object' && (!isSchema(properties) || names.length === 0)
        ? ['object without properties']
        : []),
      ...required.filter((name) => !names.includes(name)).map((name) => `requires unknown ${name}`),
    ];
  });

/** `parametersJsonSchema` of the Gemini API takes `additionalProperties` besides, which some SDKs add. */
export const geminiJsonIssues = (declared: Schema): string[] =>
  geminiIssues(declared).filter((issue) => !issue.endsWith('unknown keyword additionalProperties'));

const NAME = /^[a-zA-Z0-9_.-]{1,64}$/;
const TOP_LEVEL = ['anyOf', 'oneOf', 'allOf', 'enum', 'not'];

/** Tools of the Messages API: names of properties, and no choice at the top level. */
export const anthropicIssues = (declared: Schema): string[] =>
  check(declared, (schema, isRoot) => [
    ...namesOf(schema)
      .filter((name) => !NAME.test(name))
      .map((name) => `property name ${name}`),
    ...(isRoot && schema['type'] !== 'object' ? ['the root is not an object'] : []),
    ...(isRoot ? TOP_LEVEL.filter((key) => key in schema).map((key) => `${key} at the root`) : []),
  ]);

/** Function parameters of OpenAI without `strict`. */
export const openAiIssues = (declared: Schema): string[] => [
  ...anthropicIssues(declared),
  ...check(declared, (schema) => [
    ...([schema['type']].flat().includes('array') && !isSchema(schema['items'])
      ? ['array without items']
      : []),
    ...(Array.isArray(schema['enum']) &&
    (schema['enum'].length === 0 || new Set(schema['enum']).size < schema['enum'].length)
      ? ['enum that is empty or has a value twice']
      : []),
  ]),
];

const STRICT = setOf(
  'type properties required additionalProperties items enum const anyOf description title pattern format multipleOf ' +
    'minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems minLength maxLength $defs $ref default',
);

/** Structured outputs of OpenAI (`strict`): every property is required, and no other is allowed. */
export const openAiStrictIssues = (declared: Schema): string[] => {
  const all = visit(declared);
  const values = all.flatMap(({ schema }) => [schema['enum'] ?? []].flat());
  return [
    ...openAiIssues(declared),
    ...check(declared, (schema) => {
      const names = namesOf(schema);
      const required = [schema['required'] ?? []].flat();
      const isObject = [schema['type']].flat().includes('object');
      return [
        ...unknownKeywords(schema, STRICT),
        ...(isObject && schema['additionalProperties'] !== false ? ['open object'] : []),
        ...names.filter((name) => !required.includes(name)).map((name) => `${name} is optional`),
        ...(/\(\?[=!<]/.test(String(schema['pattern'])) ? ['pattern that looks around'] : []),
      ];
    }),
    ...(values.length > 1000 ? [`/: ${values.length} values of enums`] : []),
    ...(all.some(({ place }) => place.split('/').length > 11) ? ['/: deeper than 10 levels'] : []),
    ...(all.length > 5000 ? ['/: more than 5,000 properties'] : []),
  ];
};

const JS_TYPES: Readonly<Record<string, string>> = { integer: 'number', array: 'object' };

/**
 * What hosts do with a schema: Cursor compares `typeof` of each value with `type`, clients in Go and Java read it into
 * classes that have one type, lists of texts, and schemas for properties.
 */
export const hostIssues = (declared: Schema): string[] =>
  check(declared, (schema) => {
    const { type, default: value, enum: values, required, additionalProperties } = schema;
    const jsType = JS_TYPES[String(type)] ?? type;
    const misfits = [...(value === undefined ? [] : [value]), ...[values ?? []].flat()];
    return [
      ...(typeof type === 'string' ? [] : ['not one type']),
      ...misfits.filter((one) => typeof one !== jsType).map((one) => `${one} is no ${type}`),
      ...(required === undefined || (Array.isArray(required) && required.length > 0)
        ? []
        : ['required is not a list of names']),
      ...(additionalProperties === undefined ||
      typeof additionalProperties === 'boolean' ||
      isSchema(additionalProperties)
        ? []
        : ['additionalProperties is no schema']),
      ...['description', 'pattern', 'format']
        .filter((key) => key in schema && typeof schema[key] !== 'string')
        .map((key) => `${key} is not a string`),
      ...[
        '$ref',
        '$schema',
        '$defs',
        'if',
        'patternProperties',
        'propertyNames',
        'const',
        'examples',
      ]
        .filter((key) => key in schema)
        .map((key) => `has ${key}`),
    ];
  });
