import { parsePointer } from '../../platform/kernel/json-pointer.ts';
import type { PayloadShape } from '../../tools/model.ts';
import { columnValue } from './column-value.ts';
import { JsonDocument, type Place } from './json-document.ts';
import { totalOf } from './rows-total.ts';

/** The part of a response's rows that a caller wants. */
export interface RowSelection {
  /** Columns to keep; null = all. */
  readonly fields: readonly string[] | null;
  /** What the text of a column must be like, by column. */
  readonly where: ReadonlyMap<string, (text: string) => boolean>;
  /** Number of rows to keep, from the first; null = all. */
  readonly limit: number | null;
}

/** A payload with the selected rows. */
export interface SelectedRows {
  readonly json: Buffer;
  /** Number of rows kept. */
  readonly rows: number;
  /** Number of rows that match and are left out. */
  readonly omitted: number;
  /** `x-total`: the number of rows that the upstream has in total, if it reports one. */
  readonly total: number | null;
}

/**
 * Reduces the rows of a normalised payload; the kept parts keep their bytes and their order. Null for a payload without
 * an array of rows at `x-items`.
 */
export function selectRows(
  json: Buffer,
  shape: PayloadShape,
  { fields, where, limit }: RowSelection,
): SelectedRows | null {
  if (shape.items === null) return null;
  const document = new JsonDocument(json);
  const place = document.find(parsePointer(shape.items));
  if (place === undefined || document.kind(place) !== 'array') return null;
  const all = matchingRows(document, document.children(place), where, shape);
  const kept = limit === null ? all : all.slice(0, limit);
  const columns = fields && new ColumnSelector(document, fields, shape.itemWrapper);
  const parts: Buffer[] = [json.subarray(0, document.start(place) + 1)];
  for (const [index, row] of kept.entries()) {
    if (index > 0) parts.push(COMMA);
    if (columns) columns.push(parts, row);
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

function matchingRows(
  document: JsonDocument,
  rows: Place[],
  where: RowSelection['where'],
  { itemWrapper: wrapper, members = {} }: Pick<PayloadShape, 'itemWrapper' | 'members'>,
): Place[] {
  if (where.size === 0) return rows;
  const memberOf = new Map(Object.entries(members));
  return rows.filter((element) => {
    const row = (wrapper !== null && document.child(element, wrapper)) || element;
    return [...where].every(([name, isMatch]) =>
      isMatch(textAt(document, row, name, memberOf.get(name))),
    );
  });
}

/** The text of a column: a string itself, any other value as JSON, nothing as `''`. */
function textAt(
  document: JsonDocument,
  row: Place,
  name: string,
  member: string | undefined,
): string {
  const place = document.kind(row) === 'object' ? document.child(row, name) : undefined;
  const json = place === undefined ? '' : columnValue(document, place, member);
  const value: unknown = json === '' ? null : JSON.parse(json);
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const COMMA = Buffer.from(',');

/** Copies the selected columns of the rows of one document. */
class ColumnSelector {
  readonly #document: JsonDocument;
  readonly #names: ReadonlySet<string>;
  /** The member of an element that contains the row. */
  readonly #wrapper: string | null;

  constructor(document: JsonDocument, fields: readonly string[], wrapper: string | null) {
    this.#document = document;
    this.#names = new Set(fields);
    this.#wrapper = wrapper;
  }

  /** Appends one element to `parts`. A row that is not an object has no columns and is copied whole. */
  push(parts: Buffer[], element: Place): void {
    const document = this.#document;
    const { json } = document;
    const row = this.#rowOf(element);
    if (document.kind(row) !== 'object') {
      parts.push(json.subarray(document.start(element), document.end(element)));
      return;
    }
    parts.push(json.subarray(document.start(element), document.start(row) + 1));
    let isFirst = true;
    for (const member of document.children(row)) {
      if (!this.#names.has(document.key(member))) continue;
      if (!isFirst) parts.push(COMMA);
      parts.push(json.subarray(document.memberStart(member), document.end(member)));
      isFirst = false;
    }
    parts.push(json.subarray(document.end(row) - 1, document.end(element)));
  }

  #rowOf(element: Place): Place {
    const inner = this.#wrapper === null ? undefined : this.#document.child(element, this.#wrapper);
    return inner ?? element;
  }
}
