import { type Path, parsePointer } from '../../platform/kernel/json-pointer.ts';
import type { PayloadShape, SuccessRule } from '../../tools/model.ts';
import { type JsonDocument, ROOT } from './json-document.ts';
import type { PayloadDomain } from './payload-domain.ts';
import { firstText, placeAt, scalarAt } from './scalar.ts';

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

/** The rule of a document without `x-success`. */
export const NO_RULE: SuccessRule = {
  code: [],
  values: [],
  empty: [],
  present: null,
  failure: null,
  message: null,
  causes: {},
};

const pathOf = (pointer: string | null): Path | null =>
  pointer === null ? null : parsePointer(pointer);

function firstCode(document: JsonDocument, paths: readonly Path[]): string | undefined {
  const code = firstText(document, paths);
  return code === undefined ? undefined : canonicalCode(code);
}

/** `{"error": null}`, `{"error": false}` and `<error/>` report no failure. */
function reportsFailure(document: JsonDocument, path: Path): boolean {
  const place = placeAt(document, path);
  if (place === undefined) return false;
  const kind = document.kind(place);
  return kind === 'object' || kind === 'array' || !SILENT.includes(document.value(place));
}

const SILENT: readonly unknown[] = [null, false, ''];

/** The codes that mean "no data". */
const emptyCodes = ({ empty, causes }: SuccessRule): ReadonlySet<string> =>
  new Set([...empty, ...Object.keys(causes).filter((code) => causes[code] === 'no_data')]);

/** Prepares the judge of one payload shape: pointers are parsed here, once. */
export function createJudge(shape: PayloadShape, domain: PayloadDomain): Judge {
  const rule = shape.success ?? NO_RULE;
  const present = pathOf(rule.present);
  const failure = pathOf(rule.failure);
  const items = pathOf(shape.items);
  const successes = new Set(['00', ...rule.values.map(canonicalCode)]);
  const empties = emptyCodes(rule);
  const ownCodes = rule.code.map(parsePointer);
  const publicCodes = [
    ...domain.codes.before.map(parsePointer),
    ...ownCodes,
    ...domain.codes.after.map(parsePointer),
  ];
  const refusals = domain.messages.before.map(parsePointer);

  /** Without the promised code, a response is successful only if it has rows. `''` is an empty list in XML. */
  const excused = (document: JsonDocument): boolean => {
    if (rule.code.length === 0 || present) return true;
    if (!items) return false;
    if (items.length === 0) return document.kind(ROOT) === 'array';
    return placeAt(document, items) !== undefined || scalarAt(document, items.slice(0, -1)) === '';
  };

  const fits = (document: JsonDocument): boolean =>
    !(failure && reportsFailure(document, failure)) &&
    !(present && placeAt(document, present) === undefined);

  const verdictOf = (document: JsonDocument, code: string, isPublicData: boolean): Verdict => {
    const empty = empties.has(code) || (isPublicData && domain.isNoData(code));
    return { ok: empty || (successes.has(code) && fits(document)), empty, code };
  };

  /** A refusal of the domain that has lost its code: its text may name it. */
  const textOnly = (document: JsonDocument): Verdict | undefined => {
    const text = firstText(document, refusals);
    if (text === undefined) return undefined;
    const code = domain.codeOfText(text);
    return code === undefined ? { ok: false, empty: false } : verdictOf(document, code, true);
  };

  return (document, isPublicData) => {
    const code = firstCode(document, isPublicData ? publicCodes : ownCodes);
    if (code !== undefined) return verdictOf(document, code, isPublicData);
    const refused = isPublicData ? textOnly(document) : undefined;
    return refused ?? { ok: excused(document) && fits(document), empty: false };
  };
}
