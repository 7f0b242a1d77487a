import { isJsonPointer } from '../../platform/kernel/json-pointer.ts';
import { isObject, own, ownText } from '../../platform/kernel/plain-json.ts';
import type { AsOfRule } from '../model.ts';

/** A date, an hour and a minute, with one to spare. */
const MAX_NAMES = 4;
const OFFSET = /^[+-]\d\d:\d\d$|^Z$/;
const WANTED =
  'must be fetch, unknown, or an object with one of arguments, columns and pointer, and perhaps offset (such as "+09:00")';

/**
 * What is wrong with an `x-as-of` value, if anything. It is
 * - `{arguments: [base_date, base_time]}`: the arguments whose values make up the time of the data,
 * - `{columns: [fcstDate, fcstTime]}`: the columns that do, in the row with the latest time,
 * - `{pointer: /header/time}`: where the payload says it,
 * - `fetch`: the data are always those of the moment in which they are fetched, or
 * - `unknown`: nothing says it.
 * `offset` is that of the times from UTC.
 */
export function asOfIssue(value: unknown): string | undefined {
  if (value === 'fetch' || value === 'unknown') return undefined;
  if (!isObject(value)) return WANTED;
  const { offset, ...places } = value;
  const [place, ...others] = Object.entries(places);
  if (!place || others.length > 0) return WANTED;
  if (offset !== undefined && !(typeof offset === 'string' && OFFSET.test(offset))) return WANTED;
  const [name, where] = place;
  const isPlace = name === 'pointer' ? isJsonPointer(where) : NAMED.has(name) && isNames(where);
  return isPlace ? undefined : WANTED;
}

const NAMED: ReadonlySet<string> = new Set(['arguments', 'columns']);

const isNames = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= MAX_NAMES &&
  value.every((name) => typeof name === 'string' && name !== '');

/** The rule of a valid `x-as-of` value. Times without an offset of their own are in `defaultOffset`. */
export function asOfRule(value: unknown, defaultOffset: string | null): AsOfRule {
  if (value === 'fetch') return { kind: 'fetch' };
  if (!isObject(value)) return { kind: 'unknown' };
  const offset = ownText(value, 'offset') ?? defaultOffset;
  const names = own(value, 'arguments');
  if (Array.isArray(names)) return { kind: 'arguments', names, offset };
  const columns = own(value, 'columns');
  const pointer = ownText(value, 'pointer') ?? null;
  return {
    kind: 'payload',
    place: { pointer, columns: Array.isArray(columns) ? columns : [], offset },
  };
}
