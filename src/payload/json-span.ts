import type { Path } from './json-pointer.ts';

/** Where a value stands in JSON text: first byte and the one after its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;

/** `{` or `[`, which differ in one bit only. */
const opens = (byte: number): boolean => (byte | 0x20) === OPEN_BRACE;

/** `}` or `]` */
const closes = (byte: number): boolean => (byte | 0x20) === 0x7d;

/** White space as JSON and XML know it. */
export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

function skipSpace(json: Buffer, from: number): number {
  let at = from;
  while (isSpace(json[at])) at++;
  return at;
}

/** The end of the string that begins at `from`. */
function stringEnd(json: Buffer, from: number): number {
  let at = from + 1;
  while (json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

/** The end of the value that begins at `from`; counts brackets, so that depth costs no stack. */
function valueEnd(json: Buffer, from: number): number {
  let depth = 0;
  let at = from;
  do {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) {
      at = stringEnd(json, at);
      continue;
    }
    if (opens(byte)) depth++;
    else if (closes(byte)) depth--;
    at++;
  } while (at < json.length && (depth > 0 || !endsValue(json, from, at)));
  return at;
}

/** Outside all brackets: strings and brackets end by themselves, numbers and words before a separator. */
function endsValue(json: Buffer, from: number, at: number): boolean {
  const first = json[from] ?? 0;
  if (first === QUOTE || opens(first)) return true;
  const next = json[at] ?? 0;
  return next === COMMA || closes(next) || isSpace(next);
}

/** Members of the object or elements of the array that begins at `from`, in order. */
function* children(json: Buffer, from: number): Generator<{ key: string; value: Span }> {
  const named = json[from] === OPEN_BRACE;
  let at = skipSpace(json, from + 1);
  for (let index = 0; !closes(json[at] ?? 0); index++) {
    let key = String(index);
    if (named) {
      const end = stringEnd(json, at);
      key = JSON.parse(json.toString('utf8', at, end));
      at = skipSpace(json, skipSpace(json, end) + 1);
    }
    const end = valueEnd(json, at);
    yield { key, value: { start: at, end } };
    at = skipSpace(json, end);
    if (json[at] === COMMA) at = skipSpace(json, at + 1);
  }
}

/** The last child of that name: where a key stands twice, JSON.parse takes the last, too. */
function childSpan(json: Buffer, parent: Span, segment: string): Span | undefined {
  let found: Span | undefined;
  for (const { key, value } of children(json, parent.start)) if (key === segment) found = value;
  return found;
}

/** Where the value at a path stands in JSON text that JSON.parse has accepted; the value must be there. */
export function spanAt(json: Buffer, path: Path): Span {
  const start = skipSpace(json, 0);
  let span: Span = { start, end: valueEnd(json, start) };
  for (const segment of path) {
    const child = childSpan(json, span, segment);
    if (!child) throw new Error(`There is no value at /${path.join('/')}.`);
    span = child;
  }
  return span;
}
