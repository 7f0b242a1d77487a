import { JsonDocument, type Place } from '../../platform/kernel/json-document.ts';
import { parsePointer } from '../../platform/kernel/json-pointer.ts';
import type { PayloadShape } from '../../tools/model.ts';
import { findRows } from '../../upstreams/payload/rows.ts';
import type { HeldPage, HeldPages } from './held-pages.ts';

/**
 * The first page with the rows of all of them: rows that a pivot puts together may be on two pages. For small units only;
 * pivots are of forecasts.
 */
export async function* joinPages(
  pages: HeldPages,
  { items }: Pick<PayloadShape, 'items'>,
): AsyncGenerator<HeldPage, void, void> {
  const parts: Buffer[] = [];
  let tail: Buffer = Buffer.alloc(0);
  let hasRows = false;
  for await (const { json } of pages.read()) {
    const document = new JsonDocument(json);
    const place = findRows(document, parsePointer(items ?? ''));
    if (place === undefined) continue;
    const [start, end] = innerOf(document, place);
    if (parts.length === 0) {
      parts.push(json.subarray(0, start));
      tail = json.subarray(end);
    }
    if (end === start) continue;
    if (hasRows) parts.push(COMMA);
    parts.push(json.subarray(start, end));
    hasRows = true;
  }
  if (parts.length > 0) yield { json: Buffer.concat([...parts, tail]) };
}

const COMMA = Buffer.from(',');

/** Between the brackets of an array. */
const innerOf = (document: JsonDocument, list: Place): readonly [number, number] => [
  document.start(list) + 1,
  document.end(list) - 1,
];
