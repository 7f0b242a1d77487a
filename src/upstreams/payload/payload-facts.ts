import type { JsonDocument, Place } from '../../platform/kernel/json-document.ts';
import { parsePointer } from '../../platform/kernel/json-pointer.ts';
import { isoTimeOf } from '../../platform/kernel/time.ts';
import type { PayloadShape } from '../../tools/model.ts';
import { columnOf, findRows, rowOf } from './rows.ts';

/** `x-total`: the number of rows that the upstream has in all; null if it does not report one. */
export function totalOf(document: JsonDocument, { total }: PayloadShape): number | null {
  const text = total === null ? '' : textAt(document, total);
  const value = text === '' ? Number.NaN : Number(text);
  return Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Of more rows than twice as many, the first and the last are read: rows are in the order of their time. */
const ROWS_AT_EACH_END = 1000;

/** `x-as-of`: the time to which the data of a normalised payload refer, in ISO 8601; undefined if it does not say. */
export function readAsOf(document: JsonDocument, shape: PayloadShape): string | undefined {
  if (shape.asOf === null) return undefined;
  const { pointer, offset } = shape.asOf;
  const text = pointer === null ? latestIn(document, shape) : textAt(document, pointer);
  return isoTimeOf(text, offset) ?? undefined;
}

const textAt = (document: JsonDocument, pointer: string): string =>
  textOf(document, document.find(parsePointer(pointer)));

const textOf = (document: JsonDocument, place: Place | undefined): string =>
  place === undefined ? '' : String(document.scalar(place) ?? '').trim();

/** The latest time in the rows. The times of one column are equally long, so that comparing texts compares times. */
function latestIn(document: JsonDocument, { items, itemWrapper, asOf }: PayloadShape): string {
  const place = findRows(document, items === null ? null : parsePointer(items));
  if (place === undefined || asOf === null) return '';
  let latest = '';
  for (const element of ends(document.children(place))) {
    const row = rowOf(document, element, itemWrapper);
    const time = asOf.columns
      .map((name) => textOf(document, columnOf(document, row, name)))
      .join('');
    if (time > latest && isoTimeOf(time, null) !== null) latest = time;
  }
  return latest;
}

const ends = (rows: readonly Place[]): readonly Place[] =>
  rows.length <= 2 * ROWS_AT_EACH_END
    ? rows
    : [...rows.slice(0, ROWS_AT_EACH_END), ...rows.slice(-ROWS_AT_EACH_END)];
