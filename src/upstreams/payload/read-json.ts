import { JsonDocument, ROOT } from '../../platform/kernel/json-document.ts';
import { isSpace } from '../../platform/kernel/json-scanner.ts';
import { endOfString, QUOTE } from '../../platform/kernel/json-text.ts';

/** A value for each line or record: NDJSON, JSON Lines, JSON text sequences (RFC 7464) and their other names. */
const LIST_TYPE =
  /[/+.-](?:nd-?json|json-?l(?:ines)?|ldjson|json-?seq|stream\+json|json-?stream)\b/i;

/** A content-type by which a body is JSON, whatever its first byte is. */
export const isJsonType = (contentType: string): boolean =>
  /[/+]json\b/i.test(contentType) || LIST_TYPE.test(contentType);

/**
 * Reads JSON in UTF-8. Some upstreams do not escape line breaks and other control characters in strings. Unless the
 * document promises one value, several become an array, and so does the only value of a type that has many. Throws for
 * anything else.
 */
export function readJson(json: Buffer, contentType: string, isPromised: boolean): JsonDocument {
  const isList = !isPromised && LIST_TYPE.test(contentType);
  try {
    if (!isList) return new JsonDocument(json);
  } catch {
    // Repaired below.
  }
  const repaired = Buffer.from(json.map((byte) => (byte < 0x20 ? 0x20 : byte)));
  if (isPromised) return new JsonDocument(repaired);
  const ends = endsOfValues(repaired);
  if (ends.length === 1 && !isList) return new JsonDocument(repaired);
  const list = new JsonDocument(joined(repaired, ends));
  // A comma between two values is an element too many: this is no sequence of values.
  if (list.count(ROOT) !== ends.length) throw new SyntaxError('These are not several JSON values.');
  return list;
}

/** Values that become an array. */
export const MAX_VALUES = 1_000_000;

/** The ends of the values of a text. Only quotes and brackets are read: whether these are values is seen afterwards. */
function endsOfValues(text: Buffer): number[] {
  const ends: number[] = [];
  let depth = 0;
  let at = 0;
  while (at < text.length) {
    const byte = text[at] ?? 0;
    at++;
    if (isSpace(byte)) continue;
    if (byte === QUOTE) {
      const end = endOfString(text, at);
      if (end < 0) throw new SyntaxError('A string has no end.');
      at = end + 1;
    } else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) depth--;
    else if (depth === 0) while (at < text.length && !startsAnew(text[at] ?? 0)) at++;
    if (depth < 0 || ends.length >= MAX_VALUES) throw new SyntaxError('These are no values.');
    if (depth === 0) ends.push(at);
  }
  if (depth > 0) throw new SyntaxError('A bracket is open.');
  return ends;
}

/** Whether a number or a word ends before this byte: a blank, a quote or a bracket. */
const startsAnew = (byte: number): boolean =>
  isSpace(byte) || byte === QUOTE || (byte | 0x20) === 0x7b || (byte | 0x20) === 0x7d;

/** The values as the elements of an array. */
function joined(text: Buffer, ends: readonly number[]): Buffer {
  const array = Buffer.allocUnsafe(text.length + ends.length + 2);
  let from = 0;
  let to = 0;
  array[to++] = 0x5b;
  for (const end of ends) {
    if (from > 0) array[to++] = 0x2c;
    to += text.copy(array, to, from, end);
    from = end;
  }
  array[to++] = 0x5d;
  return array.subarray(0, to);
}
