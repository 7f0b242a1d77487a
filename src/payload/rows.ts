import { childOf, isIndex, isObject, type JsonObject, type Path } from './json-pointer.ts';
import { type Span, spanAt } from './json-span.ts';

/** JSON text and the value it stands for. */
export interface JsonDocument {
  readonly json: Buffer;
  readonly value: unknown;
}

interface Rows {
  readonly json: Buffer;
  /** Undefined when there is no place for rows. */
  readonly rows?: number;
}

/** The ways upstreams write "no rows". */
const isBlank = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (typeof value === 'string' && value.trim() === '') ||
  (isObject(value) && Object.keys(value).length === 0);

/** `{item: rows}` where the rows themselves belong: the XML form of a list that JSON writes as an array. */
function wrappedRows(value: unknown): JsonObject | null {
  if (!isObject(value) || Object.keys(value).join() !== 'item') return null;
  const { item } = value;
  // One row may have a field called item, and nothing else; that field is text.
  return typeof item === 'object' || isBlank(item) ? value : null;
}

/** The bytes between are never parsed and printed again: long numbers keep their digits. */
function splice(json: Buffer, at: Span, before: string, keep: Span | null, after = ''): Buffer {
  return Buffer.concat([
    json.subarray(0, at.start),
    Buffer.from(before),
    keep ? json.subarray(keep.start, keep.end) : Buffer.alloc(0),
    Buffer.from(after),
    json.subarray(at.end),
  ]);
}

/** The value at `from` made into the array at `to`. */
function arrayFrom({ json, value }: JsonDocument, from: Path, to: Path): Rows {
  const place = spanAt(json, to);
  if (isBlank(value)) return { json: splice(json, place, '[]', null), rows: 0 };
  const kept = from === to ? place : spanAt(json, from);
  return Array.isArray(value)
    ? { json: splice(json, place, '', kept), rows: value.length }
    : { json: splice(json, place, '[', kept, ']'), rows: 1 };
}

/** `[]` within an object for every name of the path. */
const nested = (path: Path): string =>
  path.reduceRight((inner, name) => `{${JSON.stringify(name)}:${inner}}`, '[]');

/** The rest of the path made where it ends too early; nothing where that would replace what is there. */
function createPlace({ json, value }: JsonDocument, parent: Path, rest: Path): Rows {
  const place = spanAt(json, parent);
  if (Array.isArray(value) && rest.join('/') === 'item') {
    return { json: splice(json, place, '{"item":', place, '}'), rows: value.length };
  }
  if (rest.some(isIndex)) return { json };
  if (isBlank(value) || (Array.isArray(value) && value.length === 0)) {
    return { json: splice(json, place, nested(rest), null), rows: 0 };
  }
  if (!isObject(value)) return { json };
  const inside = { start: place.start, end: place.end - 1 };
  return { json: splice(json, place, '', inside, `,${nested(rest).slice(1)}`), rows: 0 };
}

/**
 * The rows of a good answer as an array at `path`, wherever and however the upstream put them: missing, `''`, null
 * and `{}` are no rows, an object is one. With `empty` the upstream has said that there are none.
 */
export function shapeRows(document: JsonDocument, path: Path, empty: boolean): Rows {
  let value = document.value;
  for (const [depth, segment] of path.entries()) {
    const child = childOf(value, segment);
    if (child === undefined) {
      return createPlace({ json: document.json, value }, path.slice(0, depth), path.slice(depth));
    }
    value = child;
  }
  if (Array.isArray(value)) return { json: document.json, rows: value.length };
  if (empty) return arrayFrom({ json: document.json, value: null }, path, path);
  const wrapper = path.at(-1) === 'item' ? null : wrappedRows(value);
  return wrapper
    ? arrayFrom({ json: document.json, value: wrapper['item'] }, [...path, 'item'], path)
    : arrayFrom({ json: document.json, value }, path, path);
}
