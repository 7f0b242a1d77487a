import {
  child,
  isObject,
  type JsonObject,
  type Located,
  ownText,
  pointerTokens,
} from '../plain-json.ts';
import type { FaultList } from './definition-error.ts';

/** Follows local `$ref`s; nothing is ever fetched. */
export interface ReferenceResolver {
  /** Where a chain of `$ref`s ends; undefined, with a fault, when one leads nowhere, outside, or in a circle. */
  follow(start: Located): Located | undefined;
  /** The object where the chain ends; anything else there is a fault, and undefined. */
  followToObject(start: Located): Located<JsonObject> | undefined;
  /** The place that a `$ref` text names, one step, without a fault. */
  target(reference: string): Located | undefined;
  /** What stands at a JSON pointer, without a fault. */
  at(pointer: string): Located | undefined;
}

export function createReferenceResolver(root: JsonObject, faults: FaultList): ReferenceResolver {
  function target(reference: string): Located | undefined {
    const pointer = localPointer(reference);
    return pointer === undefined ? undefined : at(pointer);
  }

  function at(pointer: string): Located | undefined {
    let value: unknown = root;
    for (const token of pointerTokens(pointer)) value = child(value, token);
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
        faults.add(`${place.pointer}/$ref`, reasonAgainst(reference, next !== undefined));
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
      faults.add(pointer, 'An object is needed here.');
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

function reasonAgainst(reference: string, circular: boolean): string {
  if (circular) return `The $ref "${reference}" leads back to itself.`;
  return reference.startsWith('#')
    ? `The $ref "${reference}" leads nowhere.`
    : `The $ref "${reference}" leads out of this document; only local references (#/...) are read.`;
}
