import { JsonDocument, type Place, ROOT } from '../../platform/kernel/json-document.ts';
import { isIndex, type Path } from '../../platform/kernel/json-pointer.ts';
import type { PayloadShape, RowFilter } from '../../tools/model.ts';

export interface Rows {
  readonly json: Buffer;
  /** Undefined if the document cannot have rows at this path. */
  readonly rows?: number;
}

/** The row in an element of a list: the element itself, or its member with the name of the wrapper. */
export const rowOf = (document: JsonDocument, element: Place, wrapper: string | null): Place =>
  (wrapper === null ? undefined : document.child(element, wrapper)) ?? element;

/** A column of a row; undefined if the row is not an object or lacks it. */
export const columnOf = (document: JsonDocument, row: Place, name: string): Place | undefined =>
  document.kind(row) === 'object' ? document.child(row, name) : undefined;

/** The array of rows at a path, if the document has one there. */
export function findRows(document: JsonDocument, path: Path | null): Place | undefined {
  const place = path === null ? undefined : document.find(path);
  return place !== undefined && document.kind(place) === 'array' ? place : undefined;
}

/** The ways upstreams write "no rows": `{}`, `''` and null. */
function isBlank(document: JsonDocument, place: Place): boolean {
  if (document.kind(place) === 'object') return document.count(place) === 0;
  const value = document.scalar(place);
  return value === null || (typeof value === 'string' && value.trim() === '');
}

/** The rows in `{item: rows}`, the XML form of a list that is an array in JSON. */
function wrappedRows(document: JsonDocument, place: Place): Place | undefined {
  if (document.kind(place) !== 'object' || document.count(place) !== 1) return undefined;
  const item = document.child(place, 'item');
  if (item === undefined) return undefined;
  // A single row may consist of a field called item; that field is a string.
  return document.isContainer(item) || isBlank(document, item) ? item : undefined;
}

/** The document with one value replaced. The rest is never parsed and printed: long numbers keep their digits. */
function replace(document: JsonDocument, place: Place, ...parts: (string | Buffer)[]): Buffer {
  const { json } = document;
  return Buffer.concat([
    json.subarray(0, document.start(place)),
    ...parts.map(bytesOf),
    json.subarray(document.end(place)),
  ]);
}

/** The rows of an array: some upstreams send null or an empty element of XML in place of one. */
function rowsIn(
  document: JsonDocument,
  list: Place,
): { readonly text: Buffer; readonly rows: number } {
  const whole = { text: document.bytes(list), rows: document.count(list) };
  if (!document.hasScalar(list)) return whole;
  const all = document.children(list);
  const kept = all.filter(
    (element) => !isBlank(document, element) || document.isContainer(element),
  );
  // In a list of values rather than of rows, a missing one keeps its place.
  const isList = kept.some((element) => !document.isContainer(element));
  return isList || kept.length === all.length
    ? whole
    : { text: joined(kept.map((row) => document.bytes(row))), rows: kept.length };
}

/** An array of these texts. */
function joined(texts: readonly (string | Buffer)[]): Buffer {
  const parts = texts.flatMap((text, index) => (index === 0 ? [text] : [',', text]));
  return Buffer.concat(['[', ...parts, ']'].map(bytesOf));
}

const bytesOf = (text: string | Buffer): Buffer =>
  typeof text === 'string' ? Buffer.from(text) : text;

/** Replaces the value at `to` with the value at `from` as an array. */
function arrayFrom(document: JsonDocument, from: Place, to: Place): Rows {
  if (isBlank(document, from)) return { json: replace(document, to, '[]'), rows: 0 };
  if (document.kind(from) !== 'array') {
    return { json: replace(document, to, '[', document.bytes(from), ']'), rows: 1 };
  }
  const { text, rows } = rowsIn(document, from);
  return from === to && rows === document.count(from)
    ? { json: document.json, rows }
    : { json: replace(document, to, text), rows };
}

/** `[]` inside an object for every name of the path. */
const nested = (path: Path): string =>
  path.reduceRight((inner, name) => `{${JSON.stringify(name)}:${inner}}`, '[]');

/** Creates the missing rest of the path with an empty array, unless that would replace existing data. */
function createPlace(document: JsonDocument, end: Place, rest: Path): Rows {
  const { json } = document;
  const isArray = document.kind(end) === 'array';
  if (isArray && rest.join('/') === 'item') {
    const { text, rows } = rowsIn(document, end);
    return { json: replace(document, end, '{"item":', text, '}'), rows };
  }
  if (rest.some(isIndex)) return { json };
  if (isBlank(document, end) || (isArray && document.count(end) === 0)) {
    return { json: replace(document, end, nested(rest)), rows: 0 };
  }
  if (document.kind(end) !== 'object') return { json };
  const members = document.bytes(end).subarray(0, -1);
  return { json: replace(document, end, members, `,${nested(rest).slice(1)}`), rows: 0 };
}

/**
 * Puts the rows of a successful response into an array at `path`, wherever and however the upstream sent them: missing,
 * `''`, null and `{}` are no rows, an object is one, and `null` or `''` among objects is left out. `empty`: the upstream reported that it has no data.
 */
export function shapeRows(document: JsonDocument, path: Path, empty: boolean): Rows {
  let place = ROOT;
  for (const [depth, name] of path.entries()) {
    const child = document.child(place, name);
    if (child === undefined) return createPlace(document, place, path.slice(depth));
    place = child;
  }
  if (document.kind(place) === 'array') return arrayFrom(document, place, place);
  if (empty) return { json: replace(document, place, '[]'), rows: 0 };
  const wrapped = path.at(-1) === 'item' ? undefined : wrappedRows(document, place);
  return arrayFrom(document, wrapped ?? place, place);
}

/** Rows that one list may become; a longer one stays as it is. */
export const MAX_LISTED_ROWS = 10_000;

/** What `refineRows` does. */
export interface RowRules extends Pick<PayloadShape, 'listColumn' | 'filters' | 'itemWrapper'> {
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

/** Applies `x-list-column` and `x-filter` to a payload whose rows are an array at `path`. */
export function refineRows(shaped: Rows, path: Path, rules: RowRules): Rows {
  if (!shaped.rows) return shaped;
  const listed = rules.listColumn === undefined ? shaped : listRows(shaped, path, rules.listColumn);
  const wanted = wantedOf(rules);
  return wanted.length === 0 ? listed : filterRows(listed, path, wanted, rules.itemWrapper);
}

/** Replaces each row that has only the list column by one row per element. Rows of other forms keep their bytes. */
function listRows(shaped: Rows, path: Path, column: string): Rows {
  const document = new JsonDocument(shaped.json);
  const place = findRows(document, path);
  if (place === undefined) return shaped;
  const rows: (string | Buffer)[] = [];
  for (const row of document.children(place)) {
    const elements = elementsOf(document.value(row), column);
    if (elements) rows.push(...elements.map((element) => JSON.stringify({ [column]: element })));
    else rows.push(document.bytes(row));
    if (rows.length > MAX_LISTED_ROWS) return shaped;
  }
  return { json: replace(document, place, joined(rows)), rows: rows.length };
}

/** The elements of the list in a row without other columns: an array, or a text such as `[a, b]`. */
function elementsOf(row: unknown, column: string): readonly unknown[] | null {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return null;
  const [[name, list] = [], ...others] = Object.entries(row);
  if (name !== column || others.length > 0) return null;
  if (Array.isArray(list)) return list.slice(0, MAX_LISTED_ROWS + 1);
  const inner = typeof list === 'string' ? /^\s*\[(.*)\]\s*$/s.exec(list)?.[1] : undefined;
  const texts = inner?.split(',', MAX_LISTED_ROWS + 1).map((text) => text.trim());
  return texts?.filter(Boolean) ?? null;
}

/** A value that a column must contain, folded. */
interface Wanted {
  readonly column: string;
  readonly value: string;
}

const wantedOf = ({ filters = [], arguments: args = {} }: RowRules): Wanted[] =>
  filters.flatMap(({ argument, column }: RowFilter) => {
    const value = Object.hasOwn(args, argument) ? fold(args[argument]) : '';
    return value === '' ? [] : [{ column, value }];
  });

/** Blanks and case do not distinguish names. */
const fold = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number'
    ? String(value).normalize('NFC').replace(/\s+/g, '').toLowerCase()
    : '';

/** Keeps the rows whose columns contain what was asked for. A row without such a column cannot be judged and stays. */
function filterRows(
  shaped: Rows,
  path: Path,
  wanted: readonly Wanted[],
  wrapper: string | null,
): Rows {
  const document = new JsonDocument(shaped.json);
  const place = findRows(document, path);
  if (place === undefined) return shaped;
  const all = document.children(place);
  const kept = all.filter((element) => {
    const row = rowOf(document, element, wrapper);
    return wanted.every(({ column, value }) => contains(document, row, column, value));
  });
  if (kept.length === all.length) return shaped;
  const texts = kept.map((row) => document.bytes(row));
  return { json: replace(document, place, joined(texts)), rows: kept.length };
}

function contains(document: JsonDocument, row: Place, column: string, value: string): boolean {
  const cell = columnOf(document, row, column);
  return cell === undefined || fold(document.value(cell)).includes(value);
}
