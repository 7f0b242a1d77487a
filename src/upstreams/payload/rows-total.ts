import { parsePointer } from '../../platform/kernel/json-pointer.ts';
import type { PayloadShape } from '../../tools/model.ts';
import type { JsonDocument } from './json-document.ts';

/** `x-total`: the number of rows that the upstream has in all; null if it does not report one. */
export function totalOf(document: JsonDocument, { total }: PayloadShape): number | null {
  const place = total === null ? undefined : document.find(parsePointer(total));
  if (place === undefined) return null;
  const kind = document.kind(place);
  const text = kind === 'string' || kind === 'other' ? String(document.value(place)).trim() : '';
  const value = text === '' ? Number.NaN : Number(text);
  return Number.isSafeInteger(value) && value >= 0 ? value : null;
}
