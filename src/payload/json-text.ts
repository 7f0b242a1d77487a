const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** A JSON text as a JSON string. */
export interface QuotedJson {
  /** The string, with its quotes. */
  readonly literal: Buffer;
  /** False when the text went on. */
  readonly isWhole: boolean;
}

/**
 * The JSON string whose value is this JSON text without the blanks between its tokens, cut between two characters
 * after at most `maxBytes`. Nothing is decoded. `json` is valid JSON in UTF-8.
 */
export function quoteJson(json: Buffer, maxBytes: number): QuotedJson {
  const out = Buffer.allocUnsafe(Math.min(json.length, maxBytes) * 2 + 2);
  let end = 0;
  let room = maxBytes;
  let inString = false;
  let i = 0;
  out[end++] = QUOTE;
  for (; i < json.length && room > 0; i++) {
    const byte = json[i] ?? 0;
    // Below it there are only blanks, and those of strings are spaces.
    if (byte <= 0x20 && !inString) continue;
    room--;
    if (byte === 0x22 || byte === 0x5c) out[end++] = BACKSLASH;
    out[end++] = byte;
    if (byte === 0x22) inString = !inString;
    else if (byte === 0x5c && room > 0) {
      // What is escaped ends no string.
      const escaped = json[++i] ?? 0;
      room--;
      if (escaped === 0x22 || escaped === 0x5c) out[end++] = BACKSLASH;
      out[end++] = escaped;
    }
  }
  if (i < json.length) end = beforeBrokenCharacter(out, end, json[i] ?? 0);
  out[end++] = QUOTE;
  return { literal: out.subarray(0, end), isWhole: i >= json.length };
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** Where the text ends when the character that `next` belongs to did not come whole. */
function beforeBrokenCharacter(text: Buffer, end: number, next: number): number {
  if (!isContinuation(next)) return end;
  let start = end - 1;
  while (isContinuation(text[start] ?? 0)) start--;
  return start;
}

/** The JSON text on a single line: line breaks stand only between its tokens, where a blank will do. */
export function oneLine(json: Buffer): Buffer {
  if (!json.includes(0x0a) && !json.includes(0x0d)) return json;
  return Buffer.from(json.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)));
}

/** At most the first `maxBytes` of a text in UTF-8, cut between two characters. */
export function cutText(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const end = beforeBrokenCharacter(bytes, maxBytes, bytes[maxBytes] ?? 0);
  return bytes.toString('utf8', 0, end);
}
