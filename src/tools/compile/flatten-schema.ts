import { child, type Located, pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own, setOwn } from '../../platform/kernel/plain-json.ts';
import { type ReferenceResolver, referenceOf } from '../document/resolve-reference.ts';
import { setOfWords } from './guards.ts';

/** With more `allOf` members than these, including nested ones, a schema is not merged. */
const MAX_MEMBERS = 50;

/** Keywords that an `allOf` member may have besides its properties and still be merged. Others could change its meaning. */
const HARMLESS = setOfWords(
  'title description example examples externalDocs discriminator xml deprecated $comment',
);

/** An object schema with the plain objects of its `allOf` merged into it. */
export interface FlatSchema {
  readonly properties: ReadonlyMap<string, Located>;
  readonly required: ReadonlySet<string>;
  /** The schema's own other keywords. Without a title or description it has those of its first member. */
  readonly rest: JsonObject;
}

/** Merges `allOf`. Undefined if the schema is not an object, or a member has more than properties. */
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
    if (isRoot) setOwn(rest, key, keyword);
    else if (key === 'title' || key === 'description') rest[key] ??= keyword;
    return isRoot || HARMLESS.has(key) || key.startsWith('x-');
  }

  return merge(schema, true) ? { properties, required, rest } : undefined;
}

/** Undeclared, or an object that may also be null. */
const isObjectType = (type: unknown): boolean =>
  [type].flat().every((name) => name === undefined || name === 'object' || name === 'null');

/** Is the schema, or the target of its `$ref`, read-only? */
export function isReadOnly(schema: unknown, references: ReferenceResolver): boolean {
  const reference = referenceOf(schema);
  const target = reference === undefined ? undefined : references.target(reference)?.value;
  return [schema, target].some((value) => child(value, 'readOnly') === true);
}

/**
 * Does a property stay out of the input? Read-only properties do, and one named `__proto__`: Ajv cannot see it, and
 * would assign its default to the prototype.
 */
export const isHidden = (name: string, schema: unknown, references: ReferenceResolver): boolean =>
  name === '__proto__' || isReadOnly(schema, references);
