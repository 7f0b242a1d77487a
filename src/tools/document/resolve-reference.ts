import { type Located, parsePointer, valueAt } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, ownText } from '../../platform/kernel/plain-json.ts';
import type { IssueSink } from './definition-error.ts';

/** Follows local `$ref`s and never fetches anything. */
export interface ReferenceResolver {
  /** The end of a chain of `$ref`s. Undefined, with an issue, if one is broken, external or circular. */
  follow(start: Located): Located | undefined;
  /** The object at the end of the chain. Undefined, with an issue, if it is not an object. */
  followToObject(start: Located): Located<JsonObject> | undefined;
  /** The direct target of a `$ref`. Reports no issue. */
  target(reference: string): Located | undefined;
  /** The value at a JSON pointer. Reports no issue. */
  at(pointer: string): Located | undefined;
}

export function createReferenceResolver(root: JsonObject, issues: IssueSink): ReferenceResolver {
  function target(reference: string): Located | undefined {
    const pointer = localPointer(reference);
    return pointer === undefined ? undefined : at(pointer);
  }

  function at(pointer: string): Located | undefined {
    const value = valueAt(root, parsePointer(pointer));
    return value === undefined ? undefined : { value, pointer };
  }

  function follow(start: Located): Located | undefined {
    const seen = new Set<string>();
    let place: Located = start;
    for (;;) {
      const reference = referenceOf(place.value);
      if (reference === undefined) return place;
      const next = target(reference);
      if (!next || seen.has(reference)) {
        issues.add(`${place.pointer}/$ref`, issueOf(reference, next !== undefined));
        return undefined;
      }
      seen.add(reference);
      place = next;
    }
  }

  return {
    at,
    target,
    follow,
    followToObject(start) {
      const place = follow(start);
      if (!place) return undefined;
      const { value, pointer } = place;
      if (isObject(value)) return { value, pointer };
      issues.add(pointer, 'This must be an object.');
      return undefined;
    },
  };
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
