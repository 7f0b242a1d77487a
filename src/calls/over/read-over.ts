import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';

/** Arguments that one call may range over. */
export const MAX_RANGED = 2;
/** Requests that one call may need, and so the units that it may have. */
export const MAX_REQUESTS = 1000;

/** The values that one entry of `_over` asks for. */
export type OverValues =
  | { readonly kind: 'range'; readonly from: string; readonly to: string }
  | { readonly kind: 'list'; readonly values: readonly (string | number)[] }
  /** The codes below a place. */
  | { readonly kind: 'within'; readonly place: string };

/** One entry of `_over`. */
export interface OverEntry {
  /** JSON pointer, for issues. */
  readonly path: string;
  readonly argument: string;
  readonly values: OverValues;
}

export interface ReadOver {
  readonly entries: readonly OverEntry[];
  readonly issues: readonly ArgumentIssue[];
}

const FORM =
  'must be a list of one or two texts "ARG=A..B", "ARG=a,b,c" or "ARG=within:PLACE", or an object {"ARG": {"from": A, "to": B}}, with {"in": [...]} or {"within": PLACE} instead.';

/** Reads `_over` in all its notations. Never throws. */
export function readOver(given: unknown): ReadOver {
  const parts = partsOf(given);
  if (parts === undefined || parts.length === 0 || parts.length > MAX_RANGED) {
    const count = parts && parts.length > MAX_RANGED ? ` It has ${parts.length} entries.` : '';
    return { entries: [], issues: [{ path: '/_over', message: FORM + count }] };
  }
  const entries: OverEntry[] = [];
  const issues: ArgumentIssue[] = [];
  for (const { path, argument, written } of parts) {
    const values = typeof written === 'string' ? readText(written) : readValues(written);
    if (typeof values === 'string') issues.push({ path, message: values });
    else if (entries.some((other) => other.argument === argument))
      issues.push({ path, message: `names ${argument} twice. Give one entry for each argument.` });
    else entries.push({ path, argument, values });
  }
  return { entries, issues };
}

/** An entry whose values are not read yet. */
interface Part {
  readonly path: string;
  readonly argument: string;
  readonly written: unknown;
}

function partsOf(given: unknown): Part[] | undefined {
  if (isObject(given)) {
    return Object.entries(given).map(([argument, written]) => ({
      path: pointerTo('/_over', argument),
      argument,
      written,
    }));
  }
  const texts = [given].flat();
  if (!texts.every((text) => typeof text === 'string')) return undefined;
  const parts = texts.map((text, index) => {
    const at = text.indexOf('=');
    const argument = text.slice(0, Math.max(0, at)).trim();
    return { path: `/_over/${index}`, argument, written: text.slice(at + 1).trim() };
  });
  return parts.every(({ argument }) => argument !== '') ? parts : undefined;
}

const WITHIN = /^within:\s*/;

/** `A..B`, `a,b,c` or `within:PLACE`; a string says what is wrong. */
function readText(text: string): OverValues | string {
  if (WITHIN.test(text)) return within(text.replace(WITHIN, ''));
  const dots = text.indexOf('..');
  if (dots >= 0) return range(text.slice(0, dots).trim(), text.slice(dots + 2).trim());
  return list(text.split(',').map((value) => value.trim()));
}

function readValues(written: unknown): OverValues | string {
  if (Array.isArray(written)) return list(written);
  if (!isObject(written)) return isValue(written) ? list([written]) : FORM;
  const { from, to, in: listed, within: place, ...others } = written;
  const given = [from ?? to, listed, place].filter((part) => part !== undefined);
  if (Object.keys(others).length > 0 || given.length !== 1) return FORM;
  if (typeof place === 'string') return within(place.trim());
  if (Array.isArray(listed)) return list(listed);
  return isValue(from) && isValue(to) ? range(String(from).trim(), String(to).trim()) : FORM;
}

const isValue = (value: unknown): value is string | number =>
  typeof value === 'string' || Number.isFinite(value);

const within = (place: string): OverValues | string =>
  place === '' ? 'names no place. Write "ARG=within:Seoul".' : { kind: 'within', place };

const range = (from: string, to: string): OverValues | string =>
  from === '' || to === ''
    ? 'needs both ends of the range, as in "ARG=202501..202512".'
    : { kind: 'range', from, to };

function list(values: readonly unknown[]): OverValues | string {
  if (values.length > MAX_REQUESTS)
    return `lists ${values.length} values. One call makes at most ${MAX_REQUESTS} requests.`;
  if (!values.every(isValue)) return 'must list texts or numbers.';
  if (values.length === 0 || values.includes(''))
    return 'has an empty value. List values with commas between, as in "ARG=a,b,c".';
  const seen = new Set<string>();
  for (const text of values.map(String)) {
    if (seen.has(text)) return `lists ${JSON.stringify(text.slice(0, MAX_QUOTED))} twice.`;
    seen.add(text);
  }
  return { kind: 'list', values };
}

const MAX_QUOTED = 60;
