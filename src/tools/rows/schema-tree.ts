import { isObject, type JsonObject, own, ownObject } from '../../platform/kernel/plain-json.ts';
import { type ReferenceResolver, referenceOf } from '../document/resolve-reference.ts';
import { type Elements, MAX_MEMBERS, type Tree } from './search-rows.ts';

/** References and compositions that follow one another; a longer chain counts as circular. */
const MAX_CHAIN = 20;

type SchemaReader = (schema: unknown) => JsonObject | undefined;

/** A response schema as a tree in which rows are found. What a schema leaves open is `unknown`. */
export function schemaTree(references: ReferenceResolver): Tree<unknown> {
  const read = createSchemaReader(references);
  const kind = (schema: unknown): ReturnType<Tree<unknown>['kind']> => kindOf(read(schema));
  const elementOf = (list: unknown): unknown => {
    const schema = read(list) ?? {};
    const items = own(schema, 'items');
    return Array.isArray(items) ? undefined : items;
  };
  return {
    kind,
    members: (schema) =>
      Object.entries(ownObject(read(schema) ?? {}, 'properties')).slice(0, MAX_MEMBERS),
    elements: (list) => elementsOf(elementOf(list), kind, read),
    allHave: (list, member) =>
      own(ownObject(read(elementOf(list)) ?? {}, 'properties'), member) !== undefined,
  };
}

/** The names of the columns of an element of a list; none if the schema does not say. */
export function columnsIn(
  list: unknown,
  itemWrapper: string | null,
  references: ReferenceResolver,
): readonly string[] {
  const read = createSchemaReader(references);
  const propertiesOf = (schema: unknown): JsonObject => ownObject(read(schema) ?? {}, 'properties');
  const element = own(read(list) ?? {}, 'items');
  const row = itemWrapper === null ? element : own(propertiesOf(element), itemWrapper);
  return Object.keys(propertiesOf(row)).slice(0, MAX_MEMBERS);
}

/** Follows references, and joins what `allOf` adds. A choice among several schemas stays open. */
function createSchemaReader(references: ReferenceResolver): SchemaReader {
  // Several members may lead to one schema: reading it again for each of them would multiply at every level.
  const known = new Map<unknown, JsonObject | undefined>();
  const read = (schema: unknown, depth = 0): JsonObject | undefined => {
    if (!isObject(schema) || depth > MAX_CHAIN) return undefined;
    if (known.has(schema)) return known.get(schema);
    known.set(schema, undefined);
    const found = follow(schema, depth);
    known.set(schema, found);
    return found;
  };
  const follow = (schema: JsonObject, depth: number): JsonObject | undefined => {
    const reference = referenceOf(schema);
    if (reference !== undefined) return read(references.target(reference)?.value, depth + 1);
    const parts = own(schema, 'allOf');
    if (Array.isArray(parts))
      return joined(
        schema,
        parts.map((part) => read(part, depth + 1)),
      );
    const choices = [own(schema, 'oneOf'), own(schema, 'anyOf')].find(Array.isArray) ?? [];
    const [only, second] = choices.filter((choice: unknown) => !isNull(choice));
    return only && !second ? read(only, depth + 1) : schema;
  };
  return (schema) => read(schema);
}

const isNull = (schema: unknown): boolean => isObject(schema) && own(schema, 'type') === 'null';

function joined(schema: JsonObject, parts: readonly (JsonObject | undefined)[]): JsonObject {
  const all = [...parts.filter((part) => part !== undefined), schema];
  const properties = Object.assign({}, ...all.map((part) => ownObject(part, 'properties')));
  const { allOf: _, ...rest } = Object.assign({}, ...all) as Record<string, unknown>;
  return Object.keys(properties).length === 0 ? rest : { ...rest, properties };
}

function kindOf(schema: JsonObject | undefined): ReturnType<Tree<unknown>['kind']> {
  if (!schema) return 'unknown';
  const types = [own(schema, 'type')].flat().filter((type) => type !== 'null');
  if (types.length > 1) return 'unknown';
  const [type] = types;
  if (type === 'array' || (type === undefined && own(schema, 'items') !== undefined)) return 'list';
  if (type === 'object' || type === undefined) {
    if (own(schema, 'properties') !== undefined) return 'object';
    // A map has members that no schema names.
    return isObject(own(schema, 'additionalProperties')) ? 'object' : 'unknown';
  }
  return 'scalar';
}

function elementsOf(element: unknown, kind: Tree<unknown>['kind'], read: SchemaReader): Elements {
  const schema = read(element);
  const choices = schema && [own(schema, 'oneOf'), own(schema, 'anyOf')].find(Array.isArray);
  if (choices?.length)
    return choices.every((choice: unknown) => kind(choice) === 'object') ? 'objects' : 'unknown';
  const found = kind(element);
  if (found === 'unknown')
    return schema && own(schema, 'type') === 'object' ? 'objects' : 'unknown';
  return found === 'object' ? 'objects' : found === 'list' ? 'lists' : 'scalars';
}
