import { type Path, parsePointer } from '../../platform/kernel/json-pointer.ts';

import type { PayloadShape, SuccessRule } from '../../tools/model.ts';
import { type JsonDocument, type Place, ROOT } from './json-document.ts';
import type { PayloadDomain } from './payload-domain.ts';

/** Whether a payload reports success. */
export interface Verdict {
  readonly ok: boolean;
  /** "No data": a success without rows. */
  readonly empty: boolean;
  /** Canonical result code, if the payload has one. */
  readonly code?: string;
}

/** Judges one payload. Public data has result codes that presets need not name. */
export type Judge = (document: JsonDocument, isPublicData: boolean) => Verdict;

/** `0`, `000` and `0000` are code `00`; any other code stays as sent (docs/contract.md#public-data-middleware). */
export const canonicalCode = (code: string): string => (/^0{1,4}$/.test(code) ? '00' : code);

const NO_RULE: SuccessRule = {
  code: null,
  values: [],
  empty: [],
  present: null,
  failure: null,
};

const pathOf = (pointer: string | null): Path | null =>
  pointer === null ? null : parsePointer(pointer);

/**
 * Finds the target of a path. Index 0 of an object is the object itself: a single row that is not in its array yet, while
 * paths are written for the normalised payload.
 */
function placeAt(document: JsonDocument, path: Path): Place | undefined {
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
function scalarAt(document: JsonDocument, path: Path): unknown {
  const place = placeAt(document, path);
  if (place === undefined) return undefined;
  const kind = document.kind(place);
  return kind === 'string' || kind === 'other' ? document.value(place) : undefined;
}

function codeAt(document: JsonDocument, path: Path): string | undefined {
  const code = scalarAt(document, path);
  if (typeof code === 'number' || typeof code === 'boolean') return String(code);
  return typeof code === 'string' && code.trim() !== '' ? canonicalCode(code.trim()) : undefined;
}

function firstCode(document: JsonDocument, paths: readonly Path[]): string | undefined {
  for (const path of paths) {
    const code = codeAt(document, path);
    if (code !== undefined) return code;
  }
  return undefined;
}

/** `{"error": null}`, `{"error": false}` and `<error/>` report no failure. */
function reportsFailure(document: JsonDocument, path: Path): boolean {
  const place = placeAt(document, path);
  if (place === undefined) return false;
  const kind = document.kind(place);
  return kind === 'object' || kind === 'array' || !SILENT.includes(document.value(place));
}

const SILENT: readonly unknown[] = [null, false, ''];

/** Prepares the judge of one payload shape: pointers are parsed here, once. */
export function createJudge(shape: PayloadShape, domain: PayloadDomain): Judge {
  const rule = shape.success ?? NO_RULE;
  const code = pathOf(rule.code);
  const present = pathOf(rule.present);
  const failure = pathOf(rule.failure);
  const items = pathOf(shape.items);
  const successes = new Set(['00', ...rule.values.map(canonicalCode)]);
  const empties = new Set(rule.empty);
  const ownCodes = code ? [code] : [];
  const publicCodes = [
    ...domain.codes.before.map(parsePointer),
    ...ownCodes,
    ...domain.codes.after.map(parsePointer),
  ];

  /** Without the promised code, a response is successful only if it has rows. `''` is an empty list in XML. */
  const excused = (document: JsonDocument): boolean => {
    if (!code || present) return true;
    if (!items) return false;
    if (items.length === 0) return document.kind(ROOT) === 'array';
    return placeAt(document, items) !== undefined || scalarAt(document, items.slice(0, -1)) === '';
  };

  const fits = (document: JsonDocument): boolean =>
    !(failure && reportsFailure(document, failure)) &&
    !(present && placeAt(document, present) === undefined);

  return (document, isPublicData) => {
    const found = firstCode(document, isPublicData ? publicCodes : ownCodes);
    if (found === undefined) return { ok: excused(document) && fits(document), empty: false };
    const empty = empties.has(found) || (isPublicData && domain.isNoData(found));
    return { ok: empty || (successes.has(found) && fits(document)), empty, code: found };
  };
}
