/** The start of a text. */
export interface TextStart {
  readonly text: string;
  /** False if the text was cut. */
  readonly isWhole: boolean;
}

/**
 * The first `maxBytes` of a JSON text, cut between two characters. A text of several lines loses the blanks between its
 * tokens. `json` is valid JSON in UTF-8.
 */
export function startOfJson(json: Buffer, maxBytes: number): TextStart {
  const bytes = json.includes(0x0a) ? withoutBlanks(json, maxBytes) : json;
  const end =
    bytes.length <= maxBytes
      ? bytes.length
      : beforeBrokenCharacter(bytes, maxBytes, bytes[maxBytes] ?? 0);
  return { text: bytes.toString('utf8', 0, end), isWhole: end === bytes.length };
}

/** The content of the JSON string whose value is this JSON text on one line. */
export function quoteJson(json: Buffer): Buffer {
  const bytes = json.includes(0x0a) ? withoutBlanks(json, json.length) : json;
  // Each byte as a character: nothing is decoded, and only ASCII is escaped, which is the same in both encodings.
  const literal = JSON.stringify(bytes.toString('latin1'));
  return Buffer.from(literal.slice(1, -1), 'latin1');
}

export const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Enough to see whether a character continues, and one escape more. */
const BEYOND_BYTES = 8;

/** The same JSON without the blanks between its tokens, at most a little more than `maxBytes`. */
function withoutBlanks(json: Buffer, maxBytes: number): Buffer {
  const out = Buffer.allocUnsafe(Math.min(json.length, maxBytes + BEYOND_BYTES));
  let end = 0;
  let inString = false;
  for (let i = 0; i < json.length && end < maxBytes + 2; i++) {
    const byte = json[i] ?? 0;
    if (byte <= 0x20 && !inString) continue;
    out[end++] = byte;
    if (byte === QUOTE) inString = !inString;
    // An escaped quotation mark does not end a string.
    else if (byte === BACKSLASH) out[end++] = json[++i] ?? 0;
  }
  return out.subarray(0, end);
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** `end`, or the start of the last character if `next` is a part of it. */
function beforeBrokenCharacter(text: Buffer, end: number, next: number): number {
  if (!isContinuation(next)) return end;
  let start = end - 1;
  while (isContinuation(text[start] ?? 0)) start--;
  return start;
}

/** The JSON text on a single line: its line breaks are between tokens, where a blank is equivalent. */
export function oneLine(json: Buffer): Buffer {
  if (!json.includes(0x0a) && !json.includes(0x0d)) return json;
  return Buffer.from(json.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)));
}

/** The index of the closing quote of the JSON string whose content starts at `start`, or -1. */
export function endOfString(json: Uint8Array, start: number): number {
  for (let at = json.indexOf(QUOTE, start); at >= 0; at = json.indexOf(QUOTE, at + 1)) {
    if (countBackslashes(json, at) % 2 === 0) return at;
  }
  return -1;
}

function countBackslashes(json: Uint8Array, before: number): number {
  let count = 0;
  while (json[before - 1 - count] === BACKSLASH) count++;
  return count;
}

/** Decodes the content of a JSON string, or at most its first `maxBytes` bytes. */
export function decodeStart(inner: Buffer, maxBytes: number): string {
  let end = inner.length;
  if (end > maxBytes) {
    end = beforeBrokenCharacter(inner, maxBytes, inner[maxBytes] ?? 0);
    // Do not cut an escape, which starts at the last backslash.
    const backslash = inner.lastIndexOf(BACKSLASH, end - 1);
    const isEscape = backslash >= 0 && countBackslashes(inner, backslash + 1) % 2 === 1;
    const length = inner[backslash + 1] === 0x75 ? 6 : 2;
    if (isEscape && backslash + length > end) end = backslash;
  }
  return JSON.parse(`"${inner.toString('utf8', 0, end)}"`);
}

/** The bytes without a byte order mark before the text, which Windows programs write and RFC 8259 lets readers ignore. */
export const withoutMark = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
