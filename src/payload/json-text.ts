/** A JSON text as a JSON string. */
export interface QuotedJson {
  /** The string, with its quotes. */
  readonly literal: Buffer;
  /** False when the text went on. */
  readonly isWhole: boolean;
}

/**
 * The JSON string whose value is this JSON text, cut between two characters after at most `maxBytes`; a text over
 * several lines loses the blanks between its tokens. `json` is valid JSON in UTF-8.
 */
export function quoteJson(json: Buffer, maxBytes: number): QuotedJson {
  const text = json.includes(0x0a) ? withoutBlanks(json) : json;
  const end =
    text.length <= maxBytes
      ? text.length
      : beforeBrokenCharacter(text, maxBytes, text[maxBytes] ?? 0);
  // Each byte as a character: nothing is decoded, and what must be escaped is ASCII, which is the same in both.
  const characters = text.toString('latin1', 0, end);
  return {
    literal: Buffer.from(JSON.stringify(characters), 'latin1'),
    isWhole: end === text.length,
  };
}

/** The same JSON without the blanks between its tokens. */
function withoutBlanks(json: Buffer): Buffer {
  const out = Buffer.allocUnsafe(json.length);
  let end = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i] ?? 0;
    if (byte <= 0x20 && !inString) continue;
    out[end++] = byte;
    if (byte === 0x22) inString = !inString;
    // What is escaped ends no string.
    else if (byte === 0x5c) out[end++] = json[++i] ?? 0;
  }
  return out.subarray(0, end);
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
