/** Text to search. */
export interface Text {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
  /** For each byte of a decoded text, and for its end, the place in the source; null for the source itself. */
  readonly at: Int32Array | null;
}

export const textOf = (bytes: Buffer, from = 0, to = bytes.length): Text => ({
  bytes,
  from,
  to,
  at: null,
});

/** The place of a byte in the source. */
export const placeOf = ({ at }: Text, index: number): number => (at ? (at[index] ?? 0) : index);

/** How often a text is decoded: programs embed texts, such as addresses, in texts that others embed. */
const MAX_DECODINGS = 4;

/**
 * A text, and what it decodes to, up to `decodings` times. A backslash that was decoded escapes whatever comes after
 * it, so with `isApart`, for texts in which backslashes count, other escapes are also decoded without theirs.
 */
export function* decodingsOf(
  text: Text,
  isApart = false,
  decodings = MAX_DECODINGS,
): Generator<Text> {
  yield text;
  if (decodings === 0) return;
  for (const starts of isApart ? [ESCAPES, OTHER_ESCAPES] : [ESCAPES]) {
    const decoded = decodeOnce(text, starts);
    if (decoded) yield* decodingsOf(decoded, isApart, decodings - 1);
  }
}

/** The bytes that start an escape of the JSON that contains a text. */
export const JSON_ESCAPES = Uint8Array.from({ length: 256 }, (_, byte) => +(byte === 0x5c));
/** Those of any escape: `\`, `%` and `&`. */
const ESCAPES = Uint8Array.from(
  { length: 256 },
  (_, byte) => +(byte === 0x5c || byte === 0x25 || byte === 0x26),
);

/** Those without a backslash. */
const OTHER_ESCAPES = ESCAPES.with(0x5c, 0);

/**
 * Decodes each escape once: percent-encoding (RFC 3986), escapes of JSON and JavaScript, character references of XML.
 * Null for a text without escapes. Characters are written as numbers, because V8 reads a module's constants from memory.
 */
export function decodeOnce(text: Text, starts: Uint8Array = ESCAPES): Text | null {
  const { bytes, from, to } = text;
  let first = from;
  while (first < to && starts[bytes[first] ?? 0] === 0) first++;
  if (first === to) return null;
  const decoded = Buffer.allocUnsafe(to - from);
  const at = new Int32Array(decoded.length + 1);
  let length = 0;
  for (let here = from; here < to; here = end) {
    const byte = bytes[here] ?? 0;
    const character = starts[byte] === 1 ? readEscape(bytes, here, to) : NONE;
    at[length] = placeOf(text, here);
    if (character === NONE) {
      decoded[length++] = byte;
      end = here + 1;
    } else if (character >= 0) decoded[length++] = character;
    else {
      const start = length;
      length += decoded.write(String.fromCodePoint(-character), start);
      at.fill(placeOf(text, here), start, length);
    }
  }
  at[length] = placeOf(text, to);
  // Every escape is longer than its character.
  return length === decoded.length ? null : { bytes: decoded, from: 0, to: length, at };
}

/** No escape. */
const NONE = -0x200000;
/** The end of what was read last. */
let end = 0;

/** The byte for which the escape at `at` stands, or the negative code point of a character beyond ASCII. */
function readEscape(bytes: Buffer, at: number, to: number): number {
  const first = bytes[at];
  const next = bytes[at + 1] ?? 0;
  if (first === 0x25) return readHex(bytes, at + 1, 2, to);
  if (first === 0x26) return readReference(bytes, at, to);
  if (next === 0x75) return readUnit(bytes, at, to);
  if (next === 0x78) return ofCodePoint(readHex(bytes, at + 2, 2, to));
  end = at + 2;
  return end > to ? NONE : (AFTER_BACKSLASH.get(next) ?? NONE);
}

/** What the letter after a backslash stands for. */
const AFTER_BACKSLASH: ReadonlyMap<number, number> = new Map(
  ['n\n', 'r\r', 't\t', 'b\b', 'f\f', '""', "''", '//', '\\\\'].map(
    (pair) => [pair.charCodeAt(0), pair.charCodeAt(1)] as const,
  ),
);

const ofCodePoint = (codePoint: number): number => (codePoint < 0x80 ? codePoint : -codePoint);

function readHex(bytes: Buffer, from: number, digits: number, to: number): number {
  end = from + digits;
  let value = end > to ? NONE : 0;
  for (let at = from; at < end && value >= 0; at++) {
    const byte = bytes[at] ?? 0;
    const letter = byte | 0x20;
    if (byte >= 0x30 && byte <= 0x39) value = value * 16 + byte - 0x30;
    else value = letter >= 0x61 && letter <= 0x66 ? value * 16 + letter - 0x57 : NONE;
  }
  return value;
}

/** `\u00e9`, or both halves of a surrogate pair; one half alone is no character. */
function readUnit(bytes: Buffer, at: number, to: number): number {
  const unit = readHex(bytes, at + 2, 4, to);
  if (unit < 0xd800 || unit > 0xdfff) return ofCodePoint(unit);
  const isPair = unit < 0xdc00 && bytes[at + 6] === 0x5c && bytes[at + 7] === 0x75;
  const low = isPair ? readHex(bytes, at + 8, 4, to) : NONE;
  return low >= 0xdc00 && low <= 0xdfff
    ? -((unit - 0xd800) * 0x400 + low - 0xdc00 + 0x10000)
    : NONE;
}

const REFERENCE = /^&(?:#x([\da-f]{1,8})|#(\d{1,8})|([a-z]{2,6}));/i;
const MAX_REFERENCE = 12;
/** HTML's names for characters that can occur in a credential and must be escaped somewhere, each before its character. */
const NAMES =
  'amp& apos\' ast* bsol\\ colon: comma, commat@ dollar$ equals= excl! grave` gt> hat^ lbrace{ lbrack[ lcub{ lowbar_ lpar( lsqb[ lt< num# percnt% period. plus+ quest? quot" rbrace} rbrack] rcub} rpar) rsqb] semi; sol/ verbar| vert|';
const NAMED = new Map(NAMES.split(' ').map((entry) => [entry.slice(0, -1), entry.slice(-1)]));

/** `&#47;`, `&#x2f;` or `&amp;`. */
function readReference(bytes: Buffer, at: number, to: number): number {
  const match = REFERENCE.exec(bytes.toString('latin1', at, Math.min(at + MAX_REFERENCE, to)));
  if (!match) return NONE;
  const [reference, hex, decimal, name = ''] = match;
  end = at + reference.length;
  if (hex === undefined && decimal === undefined) {
    return NAMED.get(name.toLowerCase())?.charCodeAt(0) ?? NONE;
  }
  const codePoint = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return codePoint <= 0x10ffff ? ofCodePoint(codePoint) : NONE;
}
