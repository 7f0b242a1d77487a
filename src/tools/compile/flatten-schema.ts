import { child, type Located, pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own, setOwn } from '../../platform/kernel/plain-json.ts';
import { type ReferenceResolver, referenceOf } from '../document/resolve-reference.ts';
import { setOfWords } from './guards.ts';

/** With more `allOf` members than these, including nested ones, a schema is not merged. */
const MAX_MEMBERS = 50;

/** Keywords that an `allOf` member may have besides its properties and still be merged. Others could change its meaning. */
const HARMLESS = setOfWords(
  'title description example examples externalDocs discriminator xml deprecated $comment $id $anchor',
);

/** An object schema with the plain objects of its `allOf` merged into it. */
export interface FlatSchema {
  readonly properties: ReadonlyMap<string, Located>;
  readonly required: ReadonlySet<string>;
  /** The schema's own other keywords. Without a title or description, it takes them from its first member. */
  readonly rest: JsonObject;
}

/**
 * Merges `allOf`; with a closed member, the merged schema is closed. Undefined if the schema is not an object, or a member
 * has more than properties.
 */
export function flattenSchema(
  schema: Located<JsonObject>,
  references: ReferenceResolver,
): FlatSchema | undefined {
  const properties = new Map<string, Located>();
  const required = new Set<string>();
  const rest: Record<string, unknown> = {};
  let members = 0;

  function merge({ value, pointer }: Located<JsonObject>, isRoot: boolean): boolean {
    if (++members > MAX_MEMBERS || !isObjectType(own(value, 'type'))) return false;
    return Object.entries(value).every(([key, keyword]) => {
      switch (key) {
        case 'type':
          if (isRoot) rest[key] = keyword;
          return true;
        case 'properties':
          return mergeProperties(keyword, pointerTo(pointer, key));
        case 'required':
          return mergeRequired(keyword);
        case 'allOf':
          return mergeMembers(keyword, pointerTo(pointer, key));
        default:
          return mergeOther(key, keyword, isRoot);
      }
    });
  }

  function mergeMembers(list: unknown, pointer: string): boolean {
    if (!Array.isArray(list)) return false;
    return list.every((member: unknown, index) => {
      // Keywords beside a $ref would be lost.
      if (referenceOf(member) !== undefined && Object.keys(member as object).length > 1) {
        return false;
      }
      const place = references.follow({ value: member, pointer: pointerTo(pointer, index) });
      return isObject(place?.value) && merge({ value: place.value, pointer: place.pointer }, false);
    });
  }

  function mergeProperties(map: unknown, pointer: string): boolean {
    if (!isObject(map)) return false;
    return Object.entries(map).every(([name, value]) => {
      const known = properties.get(name);
      if (known) return JSON.stringify(known.value) === JSON.stringify(value);
      properties.set(name, { value, pointer: pointerTo(pointer, name) });
      return true;
    });
  }

  function mergeRequired(names: unknown): boolean {
    if (!Array.isArray(names)) return false;
    for (const name of names) if (typeof name === 'string') required.add(name);
    return true;
  }

  function mergeOther(key: string, keyword: unknown, isRoot: boolean): boolean {
    // Taken at its word, a closed member refuses the properties of all others.
    const closes = key === 'additionalProperties' && keyword === false;
    if (isRoot || closes) setOwn(rest, key, keyword);
    else if (key === 'title' || key === 'description') rest[key] ??= keyword;
    return isRoot || closes || HARMLESS.has(key) || key.startsWith('x-');
  }

  return merge(schema, true) ? { properties, required, rest } : undefined;
}

/** Undeclared, or an object that may also be null. */
const isObjectType = (type: unknown): boolean =>
  [type].flat().every((name) => name === undefined || name === 'object' || name === 'null');

/** References and members of `allOf` behind which a schema may say that it is read-only. */
const MAX_LEVELS = 20;

/** Is the schema read-only, or what its `$ref` or its `allOf` leads to? */
export function isReadOnly(
  schema: unknown,
  references: ReferenceResolver,
  levels = MAX_LEVELS,
): boolean {
  if (levels === 0) return false;
  if (child(schema, 'readOnly') === true) return true;
  const reference = referenceOf(schema);
  const target = reference === undefined ? undefined : references.target(reference)?.value;
  const members = child(schema, 'allOf');
  return [target, ...(Array.isArray(members) ? members : [])].some(
    (part) => part !== undefined && isReadOnly(part, references, levels - 1),
  );
}

/**
 * Does a property stay out of the input? Read-only properties do, and one named `__proto__`: Ajv cannot see it, and
 * would assign its default to the prototype.
 */
export const isHidden = (name: string, schema: unknown, references: ReferenceResolver): boolean =>
  name === '__proto__' || isReadOnly(schema, references);

/**
 * A schema whose parts require no property that another part hides. Undefined if there is nothing to leave out.
 */
export function withoutHidden(
  { value }: Located<JsonObject>,
  members: readonly unknown[],
  references: ReferenceResolver,
): JsonObject | undefined {
  const targets = members.map((member) => {
    const reference = referenceOf(member);
    return reference === undefined ? member : references.target(reference)?.value;
  });
  const hidden = new Set(
    [value, ...targets].flatMap((part) =>
      Object.entries(propertiesOf(part))
        .filter(([name, property]) => isHidden(name, property, references))
        .map(([name]) => name),
    ),
  );
  let isChanged = false;
  const visible = (part: unknown, written: unknown): unknown => {
    const required = child(part, 'required');
    if (!isObject(part) || !Array.isArray(required)) return written;
    // What a part hides itself is left out when it is converted.
    const own = propertiesOf(part);
    const rest = required.filter((name) => !hidden.has(name) || Object.hasOwn(own, name));
    if (rest.length === required.length) return written;
    isChanged = true;
    return { ...part, required: rest };
  };
  const allOf = members.map((member, at) => visible(targets[at], member));
  const schema = { ...(visible(value, value) as JsonObject), allOf };
  return isChanged ? schema : undefined;
}

const propertiesOf = (schema: unknown): JsonObject => {
  const properties = child(schema, 'properties');
  return isObject(properties) ? properties : {};
};
