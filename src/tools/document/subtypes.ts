import { child, parsePointer, pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own, ownObject } from '../../platform/kernel/plain-json.ts';

const SCHEMAS = '#/components/schemas/';

/** Subtypes of one schema that can be sent. */
const MAX_SUBTYPES = 200;

/**
 * A description (OpenAPI 3.1) in which each `$ref` to a schema that has a `discriminator` and subtypes leads to a choice of
 * them: the schema alone has none of the properties that its subtypes add. A subtype names the schema in its `allOf`, where
 * the reference stays as it is (OpenAPI 3.1, 4.8.25).
 */
export function addSubtypes(document: JsonObject): JsonObject {
  const components = ownObject(document, 'components');
  const schemas = ownObject(components, 'schemas');
  const choices = new Map<string, { readonly name: string; readonly schema: JsonObject }>();
  const children = childrenByParent(schemas);
  for (const [name, schema] of Object.entries(schemas)) {
    const choice = choiceOf(name, schema, children, schemas);
    if (!choice) continue;
    let free = `${name}_or_subtype`;
    while (Object.hasOwn(schemas, free)) free += '_';
    choices.set(SCHEMAS + tokenOf(name), { name: free, schema: choice });
  }
  if (choices.size === 0) return document;
  const to = (reference: string): string => {
    const choice = choices.get(reference);
    return choice ? SCHEMAS + tokenOf(choice.name) : reference;
  };
  const shared = Object.entries(schemas).map(([name, schema]) => [
    name,
    redirectShared(schema, to),
  ]);
  const added = [...choices.values()].map(({ name, schema }) => [name, schema]);
  const others = redirect({ ...document, components: { ...components, schemas: {} } }, to);
  return {
    ...(others as JsonObject),
    components: {
      ...ownObject(others as JsonObject, 'components'),
      schemas: Object.fromEntries([...shared, ...added]),
    },
  };
}

const tokenOf = (name: string): string => pointerTo('', name).slice(1);

/** The schema that a reference into the shared schemas names. */
const nameIn = (reference: unknown): string | undefined =>
  typeof reference === 'string' && reference.startsWith(SCHEMAS)
    ? parsePointer(reference.slice(1))[2]
    : undefined;

/** The schemas that name another one in their `allOf`, by its name. */
function childrenByParent(schemas: JsonObject): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>();
  for (const [name, schema] of Object.entries(schemas)) {
    const members = child(schema, 'allOf');
    for (const member of Array.isArray(members) ? members : []) {
      const parent = nameIn(child(member, '$ref'));
      if (parent === undefined) continue;
      children.set(parent, [...(children.get(parent) ?? []), name]);
    }
  }
  return children;
}

/** The schema, or one of its subtypes, as its `discriminator` says. Undefined if it has none. */
function choiceOf(
  name: string,
  schema: unknown,
  children: ReadonlyMap<string, readonly string[]>,
  schemas: JsonObject,
): JsonObject | undefined {
  const discriminator = child(schema, 'discriminator');
  const property = child(discriminator, 'propertyName');
  if (!isObject(schema) || !isObject(discriminator) || typeof property !== 'string')
    return undefined;
  if (own(schema, 'oneOf') ?? own(schema, 'anyOf')) return undefined;
  const mapping = Object.fromEntries(
    Object.entries(ownObject(discriminator, 'mapping')).map(([value, target]) => [
      value,
      typeof target === 'string' && Object.hasOwn(schemas, target)
        ? SCHEMAS + tokenOf(target)
        : target,
    ]),
  );
  const mapped = Object.values(mapping).map(nameIn);
  const subtypes = new Set(mapped.filter((found) => found !== undefined && found !== name));
  for (const parent of [name, ...subtypes]) addBelow(parent ?? '', children, subtypes);
  subtypes.delete(name);
  if (subtypes.size === 0) return undefined;
  const names = [...subtypes] as string[];
  for (const subtype of names) {
    if (!mapped.includes(subtype)) mapping[subtype] ??= SCHEMAS + tokenOf(subtype);
  }
  const values = Object.keys(mapping).filter((value) => subtypes.has(nameIn(mapping[value])));
  const itself = { properties: { [property]: { not: { enum: values } } } };
  const { title, description } = schema;
  return {
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    discriminator: { propertyName: property, mapping },
    anyOf: [
      { allOf: [{ $ref: SCHEMAS + tokenOf(name) }, itself] },
      ...names.map((subtype) => ({ $ref: SCHEMAS + tokenOf(subtype) })),
    ],
  };
}

function addBelow(
  name: string,
  children: ReadonlyMap<string, readonly string[]>,
  found: Set<string | undefined>,
): void {
  for (const subtype of children.get(name) ?? []) {
    if (found.has(subtype) || found.size >= MAX_SUBTYPES) continue;
    found.add(subtype);
    addBelow(subtype, children, found);
  }
}

type Redirect = (reference: string) => string;

/** A shared schema, whose own `allOf` names what it is a subtype of. */
function redirectShared(schema: unknown, to: Redirect): unknown {
  const members = child(schema, 'allOf');
  const redirected = redirect(schema, to);
  if (!Array.isArray(members) || !isObject(redirected)) return redirected;
  const kept = members.map((member) => (child(member, '$ref') ? member : redirect(member, to)));
  return { ...redirected, allOf: kept };
}

/** A copy whose references lead elsewhere. */
function redirect(value: unknown, to: Redirect): unknown {
  if (Array.isArray(value)) return value.map((item) => redirect(item, to));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string' ? to(member) : redirect(member, to),
    ]),
  );
}
