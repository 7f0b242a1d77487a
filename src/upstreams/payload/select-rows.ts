import type { PayloadShape } from '../../tools/model.ts';
import { JsonDocument, type Place } from './json-document.ts';
import { parsePointer } from './json-pointer.ts';

/** Which part of an answer's rows a caller wants. */
export interface RowSelection {
  /** Columns to keep; null = all. */
  readonly fields: readonly string[] | null;
  /** The first so many rows; null = all. */
  readonly limit: number | null;
}

/** A payload with the rows that were wanted. */
export interface SelectedRows {
  readonly json: Buffer;
  /** Rows that are left. */
  readonly rows: number;
  /** Rows that were left out. */
  readonly omitted: number;
  /** `x-total`: rows that the upstream has in all, where it says so. */
  readonly total: number | null;
}

/**
 * Cuts the rows of a normalised payload down; whatever is kept keeps its bytes and its place. Null for a payload
 * without an array of rows at `x-items`, of which nothing can be left out.
 */
export function selectRows(
  json: Buffer,
  shape: PayloadShape,
  { fields, limit }: RowSelection,
): SelectedRows | null {
  if (shape.items === null) return null;
  const document = new JsonDocument(json);
  const place = document.find(parsePointer(shape.items));
  if (place === undefined || document.kind(place) !== 'array') return null;
  const all = document.children(place);
  const kept = limit === null ? all : all.slice(0, limit);
  const names = fields && new Set(fields);
  const parts: Buffer[] = [json.subarray(0, document.start(place) + 1)];
  for (const [index, row] of kept.entries()) {
    if (index > 0) parts.push(COMMA);
    if (names) pushColumns(parts, document, row, names, shape.itemWrapper);
    else parts.push(json.subarray(document.start(row), document.end(row)));
  }
  parts.push(json.subarray(document.end(place) - 1));
  return {
    json: Buffer.concat(parts),
    rows: kept.length,
    omitted: all.length - kept.length,
    total: totalOf(document, shape),
  };
}

const COMMA = Buffer.from(',');

/** A row with only the members that were named; what is no object has no columns and is kept whole. */
function pushColumns(
  parts: Buffer[],
  document: JsonDocument,
  element: Place,
  names: ReadonlySet<string>,
  wrapper: string | null,
): void {
  const { json } = document;
  const inner = wrapper === null ? undefined : document.child(element, wrapper);
  const row = inner ?? element;
  if (document.kind(row) !== 'object') {
    parts.push(json.subarray(document.start(element), document.end(element)));
    return;
  }
  parts.push(json.subarray(document.start(element), document.start(row) + 1));
  let isFirst = true;
  for (const member of document.children(row)) {
    if (!names.has(document.key(member))) continue;
    if (!isFirst) parts.push(COMMA);
    parts.push(json.subarray(document.memberStart(member), document.end(member)));
    isFirst = false;
  }
  parts.push(json.subarray(document.end(row) - 1, document.end(element)));
}

function totalOf(document: JsonDocument, { total }: PayloadShape): number | null {
  const place = total === null ? undefined : document.find(parsePointer(total));
  if (place === undefined) return null;
  const kind = document.kind(place);
  const value = kind === 'string' || kind === 'other' ? Number(document.value(place)) : Number.NaN;
  return Number.isSafeInteger(value) ? value : null;
}
