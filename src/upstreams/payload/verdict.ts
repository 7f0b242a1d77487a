import { canonicalCode, isNoData } from '../../public-data/result-code.ts';
import type { PayloadShape, SuccessRule } from '../../tools/model.ts';
import { type JsonDocument, type Place, ROOT } from './json-document.ts';
import { type Path, parsePointer } from './json-pointer.ts';

/** What a payload says of itself. */
export interface Verdict {
  readonly ok: boolean;
  /** "No data": a success without rows. */
  readonly empty: boolean;
  /** Canonical result code, where the payload carries one. */
  readonly code?: string;
}

/** Reads the verdict of one payload; public data has result codes that no preset needs to name. */
export type Judge = (document: JsonDocument, isPublicData: boolean) => Verdict;

/** The portal answers for the service behind it when key, quota or path are wrong; this goes before all else. */
const PORTAL_CODES = [
  '/OpenAPI_ServiceResponse/cmmMsgHeader/returnReasonCode',
  '/cmmMsgHeader/returnReasonCode',
].map(parsePointer);

/** Places of the service's own code; a flat object is how some refuse a faulty request. */
const SERVICE_CODES = ['/response/header/resultCode', '/header/resultCode', '/resultCode'].map(
  parsePointer,
);

const NO_RULE: SuccessRule = {
  code: null,
  values: [],
  empty: [],
  message: null,
  present: null,
  failure: null,
};

const pathOf = (pointer: string | null): Path | null =>
  pointer === null ? null : parsePointer(pointer);

/**
 * Where a path leads. An object also answers to index 0: it is a single row that has not been put into its array yet,
 * and paths are written for the normalised payload.
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

/** The text, number or word at the end of a path; undefined for none, and for what has children. */
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

/** Prepares the judge of one payload shape: pointers are taken apart here, once. */
export function createJudge(shape: PayloadShape): Judge {
  const rule = shape.success ?? NO_RULE;
  const code = pathOf(rule.code);
  const present = pathOf(rule.present);
  const failure = pathOf(rule.failure);
  const items = pathOf(shape.items);
  const successes = new Set(['00', ...rule.values.map(canonicalCode)]);
  const empties = new Set(rule.empty);
  const ownCodes = code ? [code] : [];
  const publicCodes = [...PORTAL_CODES, ...ownCodes, ...SERVICE_CODES];

  /** Without the code it promises, an answer is good only where its rows are; `''` is an XML list without any. */
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
    const empty = empties.has(found) || (isPublicData && isNoData(found));
    return { ok: empty || (successes.has(found) && fits(document)), empty, code: found };
  };
}
