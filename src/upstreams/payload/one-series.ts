import { JsonDocument } from '../../platform/kernel/json-document.ts';
import { parsePointer } from '../../platform/kernel/json-pointer.ts';
import type { PayloadShape } from '../../tools/model.ts';
import { columnOf, findRows, rowOf } from './rows.ts';

/**
 * The series of which all rows of a payload are (`x-oldest-first`), as a text to compare; undefined if they are of several,
 * or the payload has no rows.
 */
export function seriesOf(json: Buffer, shape: PayloadShape): string | undefined {
  const { items, itemWrapper, seriesColumns = [] } = shape;
  const document = new JsonDocument(json);
  const place = findRows(document, items === null ? null : parsePointer(items));
  if (place === undefined) return undefined;
  let series: string | undefined;
  for (const element of document.children(place)) {
    const row = rowOf(document, element, itemWrapper);
    const cells = seriesColumns.map((name) => columnOf(document, row, name));
    const own = JSON.stringify(cells.map((cell) => cell !== undefined && document.value(cell)));
    series ??= own;
    if (own !== series) return undefined;
  }
  return series;
}
