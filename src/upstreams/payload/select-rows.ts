import { JsonDocument, type Place } from '../../platform/kernel/json-document.ts';
import { parsePointer } from '../../platform/kernel/json-pointer.ts';
import type { PayloadShape } from '../../tools/model.ts';
import { totalOf } from './payload-facts.ts';
import { columnOf, findRows, rowOf } from './rows.ts';

/** The part of a response's rows that a caller wants. */
export interface RowSelection {
  /** Columns to keep; null = all. */
  readonly fields: readonly string[] | null;
  /** What the text of a column must be like, by column. */
  readonly where: ReadonlyMap<string, (text: string) => boolean>;
  readonly order?: RowOrder;
  /** Number of rows to keep, from the first; null = all. */
  readonly limit: number | null;
}

/** In which order the rows are wanted. */
export interface RowOrder {
  readonly columns: readonly string[];
  /** Returns the positions of rows in this order, by the JSON texts of these columns; `''` if a row lacks one. */
  readonly order: (cells: readonly (readonly string[])[]) => readonly number[];
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
  { fields, where, order, limit }: RowSelection,
): SelectedRows | null {
  if (shape.items === null) return null;
  const document = new JsonDocument(json);
  const place = findRows(document, parsePointer(shape.items));
  if (place === undefined) return null;
  const matching = matchingRows(document, document.children(place), where, shape);
  const all = order ? inOrder(document, matching, order, shape) : matching;
  const kept = limit === null ? all : all.slice(0, limit);
  const columns = fields && new Set(fields);
  const parts: Buffer[] = [json.subarray(0, document.start(place) + 1)];
  for (const [index, element] of kept.entries()) {
    if (index > 0) parts.push(COMMA);
    const row = rowOf(document, element, shape.itemWrapper);
    if (columns) pushColumns(parts, { document, element, row }, columns);
    else parts.push(document.bytes(element));
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
    const row = rowOf(document, element, wrapper);
    return [...where].every(([name, isMatch]) =>
      isMatch(textAt(document, row, name, memberOf.get(name))),
    );
  });
}

function inOrder(
  document: JsonDocument,
  rows: readonly Place[],
  { columns, order }: RowOrder,
  { itemWrapper: wrapper, members = {} }: Pick<PayloadShape, 'itemWrapper' | 'members'>,
): Place[] {
  const memberOf = new Map(Object.entries(members));
  const cells = rows.map((element) => {
    const row = rowOf(document, element, wrapper);
    return columns.map((name) => cellAt(document, row, name, memberOf.get(name)));
  });
  return order(cells).flatMap((index) => rows[index] ?? []);
}

/** The JSON text of a column; `''` if the row lacks it. */
function cellAt(
  document: JsonDocument,
  row: Place,
  name: string,
  member: string | undefined,
): string {
  const place = columnOf(document, row, name);
  return place === undefined ? '' : columnValue(document, place, member);
}

/** The text of a column: a string itself, any other value as JSON, nothing as `''`. */
function textAt(
  document: JsonDocument,
  row: Place,
  name: string,
  member: string | undefined,
): string {
  const json = cellAt(document, row, name, member);
  const value: unknown = json === '' ? null : JSON.parse(json);
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const COMMA = Buffer.from(',');

/** Appends one element to `parts`, with these columns of its row. A row that is not an object is copied whole. */
function pushColumns(
  parts: Buffer[],
  { document, element, row }: { document: JsonDocument; element: Place; row: Place },
  names: ReadonlySet<string>,
): void {
  const { json } = document;
  if (document.kind(row) !== 'object') {
    parts.push(document.bytes(element));
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

/**
 * The JSON text of a column's value, as the upstream wrote it. With `member` (`x-members`), an object stands for that
 * member, and a list for the members of its elements, with commas between. `''` stands for a missing member.
 */
export function columnValue(
  document: JsonDocument,
  value: Place,
  member: string | undefined,
): string {
  if (member === undefined) return document.text(value);
  if (document.kind(value) !== 'array') return memberAt(document, value, member);
  const texts = document
    .children(value)
    .map((element) => memberAt(document, element, member))
    .filter((json) => json !== '' && json !== 'null')
    .map((json) => (json.startsWith('"') ? String(JSON.parse(json)) : json));
  return JSON.stringify(texts.join(', '));
}

function memberAt(document: JsonDocument, value: Place, member: string): string {
  if (document.kind(value) !== 'object') return document.text(value);
  const inner = document.child(value, member);
  return inner === undefined ? '' : document.text(inner);
}
