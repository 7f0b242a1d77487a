import { isObject, type JsonObject } from '../../platform/kernel/plain-json.ts';

/** The shared schemas of a description, by name. */
export type Schemas = Map<string, { readonly from: unknown; readonly schema: unknown }>;

/** Values, in which nothing is a schema. */
const LITERALS = ['const', 'default', 'enum', 'example', 'examples'];
/** Schemas by names, which may be those of keywords. */
const BY_NAME = ['properties', 'patternProperties', 'dependentSchemas'];
const DEFINITIONS = '#/$defs/';

/**
 * A copy of a part of the description in which references to `schemas` replace the schemas that have a `$id`. Their
 * `$defs` become schemas, too. An object without listed members says that it is free: generators take it to be empty.
 */
export function collectSchemas(part: unknown, schemas: Schemas, owner = ''): unknown {
  if (Array.isArray(part)) return part.map((item) => collectSchemas(item, schemas, owner));
  if (!isObject(part)) return part;
  const { $id: name, ...schema } = part;
  if (typeof name !== 'string') return collectMembers(schema, schemas, owner);
  const known = schemas.get(name);
  if (known && known.from !== part) throw new Error(`Two schemas are named ${name}.`);
  if (!known) addSchema(name, part, schema, schemas);
  return referenceTo(name);
}

function addSchema(name: string, from: unknown, schema: JsonObject, schemas: Schemas): void {
  const { $defs: definitions, ...rest } = schema;
  schemas.set(name, { from, schema: collectMembers(rest, schemas, name) });
  if (!isObject(definitions)) return;
  for (const [word, definition] of Object.entries(definitions)) {
    const collected = collectSchemas(definition, schemas, name);
    schemas.set(`${name}_${word}`, { from: definition, schema: collected });
  }
}

function collectMembers(schema: JsonObject, schemas: Schemas, owner: string): JsonObject {
  const members = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (LITERALS.includes(key)) return [key, value];
    if (key === '$ref') return [key, withOwner(value, owner)];
    if (BY_NAME.includes(key) && isObject(value)) {
      return [key, mapObject(value, (member) => collectSchemas(member, schemas, owner))];
    }
    return [key, collectSchemas(value, schemas, owner)];
  });
  const free = isFree(schema) ? { additionalProperties: true } : {};
  return { ...Object.fromEntries(members), ...free };
}

const withOwner = (reference: unknown, owner: string): unknown =>
  typeof reference === 'string' && reference.startsWith(DEFINITIONS)
    ? referenceTo(`${owner}_${reference.slice(DEFINITIONS.length)}`).$ref
    : reference;

const referenceTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const isFree = (schema: JsonObject): boolean =>
  [schema['type']].flat().includes('object') &&
  ['properties', 'additionalProperties', 'patternProperties', 'allOf', 'anyOf', 'oneOf'].every(
    (keyword) => !Object.hasOwn(schema, keyword),
  );

const mapObject = (object: JsonObject, to: (value: unknown) => unknown): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, to(value)]));
