import { type Located, parsePointer, valueAt } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, ownText } from '../../platform/kernel/plain-json.ts';
import type { Report } from './definition-error.ts';

export type ReferenceResolver = ReturnType<typeof createReferenceResolver>;

/** Creates what follows the local `$ref`s of a document. It never fetches anything. */
export function createReferenceResolver(root: JsonObject, refuse: Report) {
  /** The value at a JSON pointer. Reports no issue. */
  function at(pointer: string): Located | undefined {
    const value = valueAt(root, parsePointer(pointer));
    return value === undefined ? undefined : { value, pointer };
  }

  /** The direct target of a `$ref`. Reports no issue. */
  function target(reference: string): Located | undefined {
    const pointer = localPointer(reference);
    return pointer === undefined ? undefined : at(pointer);
  }

  /** The end of a chain of `$ref`s. Undefined, with an issue, if one is broken, external or circular. */
  function follow(start: Located): Located | undefined {
    const seen = new Set<string>();
    let place: Located = start;
    for (;;) {
      const reference = referenceOf(place.value);
      if (reference === undefined) return place;
      const next = target(reference);
      if (!next || seen.has(reference)) {
        refuse(`${place.pointer}/$ref`, issueOf(reference, next !== undefined));
        return undefined;
      }
      seen.add(reference);
      place = next;
    }
  }

  /** The object at the end of the chain. Undefined, with an issue, if it is not an object. */
  function followToObject(start: Located): Located<JsonObject> | undefined {
    const place = follow(start);
    if (!place) return undefined;
    const { value, pointer } = place;
    if (isObject(value)) return { value, pointer };
    refuse(pointer, 'This must be an object.');
    return undefined;
  }

  return { at, target, follow, followToObject };
}

/** The `$ref` of a Reference Object or a schema. */
export function referenceOf(value: unknown): string | undefined {
  return isObject(value) ? ownText(value, '$ref') : undefined;
}

function localPointer(reference: string): string | undefined {
  if (!/^#(\/|$)/.test(reference)) return undefined;
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return undefined;
  }
}

function issueOf(reference: string, circular: boolean): string {
  if (circular) return `The $ref "${reference}" refers back to itself.`;
  return reference.startsWith('#')
    ? `The $ref "${reference}" has no target in this document.`
    : `The $ref "${reference}" points outside this document. Only local references (#/...) are supported.`;
}
