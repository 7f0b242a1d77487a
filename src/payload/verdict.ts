import type { PayloadShape, SuccessRule } from '../openapi/tool.ts';
import { canonicalCode, isNoData } from '../public-data/result-code.ts';
import { type Path, parsePointer, valueAt } from './json-pointer.ts';

/** What a payload says of itself. */
export interface Verdict {
  readonly ok: boolean;
  /** "No data": a success without rows. */
  readonly empty: boolean;
  /** Canonical result code, where the payload carries one. */
  readonly code?: string;
}

/** Reads the verdict of one payload; public data has result codes that no preset needs to name. */
export type Judge = (value: unknown, isPublicData: boolean) => Verdict;

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

function codeAt(value: unknown, path: Path): string | undefined {
  const code = valueAt(value, path);
  if (typeof code === 'number' || typeof code === 'boolean') return String(code);
  return typeof code === 'string' && code.trim() !== '' ? canonicalCode(code.trim()) : undefined;
}

function firstCode(value: unknown, paths: readonly Path[]): string | undefined {
  for (const path of paths) {
    const code = codeAt(value, path);
    if (code !== undefined) return code;
  }
  return undefined;
}

/** `{"error": null}`, `{"error": false}` and `<error/>` report no failure. */
const reportsFailure = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && value !== '';

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
  const excused = (value: unknown): boolean => {
    if (!code || present) return true;
    if (!items) return false;
    if (items.length === 0) return Array.isArray(value);
    return valueAt(value, items) !== undefined || valueAt(value, items.slice(0, -1)) === '';
  };

  const fits = (value: unknown): boolean =>
    !(failure && reportsFailure(valueAt(value, failure))) &&
    !(present && valueAt(value, present) === undefined);

  return (value, isPublicData) => {
    const found = firstCode(value, isPublicData ? publicCodes : ownCodes);
    if (found === undefined) return { ok: excused(value) && fits(value), empty: false };
    const empty = empties.has(found) || (isPublicData && isNoData(found));
    return { ok: empty || (successes.has(found) && fits(value)), empty, code: found };
  };
}
