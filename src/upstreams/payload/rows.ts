import { isIndex, type Path } from '../../platform/kernel/json-pointer.ts';
import { type JsonDocument, type Place, ROOT } from './json-document.ts';

export interface Rows {
  readonly json: Buffer;
  /** Undefined if the document cannot have rows at this path. */
  readonly rows?: number;
}

/** The ways upstreams write "no rows". */
function isBlank(document: JsonDocument, place: Place): boolean {
  switch (document.kind(place)) {
    case 'object':
      return document.count(place) === 0;
    case 'string':
      return String(document.value(place)).trim() === '';
    case 'other':
      return document.value(place) === null;
    case 'array':
      return false;
  }
}

/** The rows in `{item: rows}`, the XML form of a list that is an array in JSON. */
function wrappedRows(document: JsonDocument, place: Place): Place | undefined {
  if (document.kind(place) !== 'object' || document.count(place) !== 1) return undefined;
  const item = document.child(place, 'item');
  if (item === undefined) return undefined;
  // A single row may consist of a field called item; that field is a string.
  const kind = document.kind(item);
  return kind === 'object' || kind === 'array' || isBlank(document, item) ? item : undefined;
}

/** The bytes of a value. */
export const textOf = (document: JsonDocument, place: Place): Buffer =>
  document.json.subarray(document.start(place), document.end(place));

/** The document with one value replaced. The rest is never parsed and printed: long numbers keep their digits. */
export function replace(
  document: JsonDocument,
  place: Place,
  ...parts: (string | Buffer)[]
): Buffer {
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
  const whole = { text: textOf(document, list), rows: document.count(list) };
  if (!document.hasScalar(list)) return whole;
  const all = document.children(list);
  const kept = all.filter((element) => !isBlank(document, element) || isObject(document, element));
  // In a list of values rather than of rows, a missing one keeps its place.
  const isList = kept.some((element) => !isObject(document, element));
  return isList || kept.length === all.length
    ? whole
    : { text: joined(kept.map((row) => textOf(document, row))), rows: kept.length };
}

const isObject = (document: JsonDocument, place: Place): boolean => {
  const kind = document.kind(place);
  return kind === 'object' || kind === 'array';
};

/** An array of these texts. */
export function joined(texts: readonly (string | Buffer)[]): Buffer {
  const parts = texts.flatMap((text, index) => (index === 0 ? [text] : [',', text]));
  return Buffer.concat(['[', ...parts, ']'].map(bytesOf));
}

const bytesOf = (text: string | Buffer): Buffer =>
  typeof text === 'string' ? Buffer.from(text) : text;

/** Replaces the value at `to` with the value at `from` as an array. */
function arrayFrom(document: JsonDocument, from: Place, to: Place): Rows {
  if (isBlank(document, from)) return { json: replace(document, to, '[]'), rows: 0 };
  if (document.kind(from) !== 'array') {
    return { json: replace(document, to, '[', textOf(document, from), ']'), rows: 1 };
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
  const members = textOf(document, end).subarray(0, -1);
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
