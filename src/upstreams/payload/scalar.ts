import type { Path } from '../../platform/kernel/json-pointer.ts';
import { type JsonDocument, type Place, ROOT } from './json-document.ts';

/**
 * Finds the target of a path. Index 0 of an object is the object itself: a single row that is not in its array yet, while
 * paths are written for the normalised payload.
 */
export function placeAt(document: JsonDocument, path: Path): Place | undefined {
  let place: Place = ROOT;
  for (const name of path) {
    const child = document.child(place, name);
    const isOnlyRow = child === undefined && name === '0' && document.kind(place) === 'object';
    if (child === undefined && !isOnlyRow) return undefined;
    place = child ?? place;
  }
  return place;
}

/** The string, number, boolean or null at the end of a path; undefined if it is missing, an object or an array. */
export function scalarAt(document: JsonDocument, path: Path): unknown {
  const place = placeAt(document, path);
  if (place === undefined) return undefined;
  const kind = document.kind(place);
  return kind === 'string' || kind === 'other' ? document.value(place) : undefined;
}

/** The text of the first of these paths that leads to one that is not blank; numbers and booleans count as text. */
export function firstText(document: JsonDocument, paths: readonly Path[]): string | undefined {
  for (const path of paths) {
    const value = scalarAt(document, path);
    const text = value === null || value === undefined ? '' : String(value).trim();
    if (text !== '') return text;
  }
  return undefined;
}
