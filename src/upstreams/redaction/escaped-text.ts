/**
 * Reads characters however they are escaped: percent-encoded (RFC 3986), as a JSON or JavaScript escape, as an XML or
 * HTML character reference, and nested, such as `%252F`, `\u0025\u0032F` or `&#37;2F`.
 *
 * Characters are written as numbers, because V8 reads a module's named constants from memory at every use.
 */

/** No character could be read. */
const NONE = -0x200000;

/** Escapes that are decoded in sequence at one position: the character of one may start the next. */
export const MAX_DECODINGS = 5;
/** How deep the characters of an escape may be escaped themselves. */
const MAX_DEPTH = 3;
/** The backslashes before a quotation mark in JSON within JSON, four levels deep. */
const MAX_BACKSLASHES = 15;
const MAX_REFERENCE_DIGITS = 8;
const MAX_NAME_LETTERS = 6;

/** HTML's names for characters that can occur in a credential and must be escaped somewhere. */
const NAMED: ReadonlyMap<number, number> = new Map(
  Object.entries({
    amp: '&',
    AMP: '&',
    apos: "'",
    ast: '*',
    bsol: '\\',
    colon: ':',
    comma: ',',
    commat: '@',
    dollar: '$',
    equals: '=',
    excl: '!',
    grave: '`',
    gt: '>',
    GT: '>',
    Hat: '^',
    lbrace: '{',
    lbrack: '[',
    lcub: '{',
    lowbar: '_',
    lpar: '(',
    lsqb: '[',
    lt: '<',
    LT: '<',
    num: '#',
    percnt: '%',
    period: '.',
    plus: '+',
    quest: '?',
    quot: '"',
    QUOT: '"',
    rbrace: '}',
    rbrack: ']',
    rcub: '}',
    rpar: ')',
    rsqb: ']',
    semi: ';',
    sol: '/',
    verbar: '|',
    vert: '|',
  }).map(([name, character]) => [hashOf(name), character.charCodeAt(0)]),
);

/** A name as a number, computed letter by letter without creating strings. */
function hashOf(name: string): number {
  return [...name].reduce((hash, letter) => addLetter(hash, letter.charCodeAt(0)), 0);
}

function addLetter(hash: number, letter: number): number {
  return (Math.imul(hash, 53) + letter) | 0;
}

/** The characters that the letter after a backslash stands for, in JSON and JavaScript. */
const AFTER_BACKSLASH = new Int16Array(256).fill(-1);
for (const [letter, character] of Object.entries({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' })) {
  AFTER_BACKSLASH[letter.charCodeAt(0)] = character.charCodeAt(0);
}
for (const character of Buffer.from('"\'/\\')) AFTER_BACKSLASH[character] = character;

/** Bytes to read characters from; one object for a whole scan. */
export class EscapedText {
  readonly bytes: Uint8Array;
  /** No character is read beyond this index. */
  limit: number;
  /** The end of the character that was read last. */
  end = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.limit = bytes.length;
  }
}

/** Whether more backslashes follow each other here than nested escapes produce. */
export function isBackslashRun(bytes: Uint8Array, at: number): boolean {
  let length = 0;
  while (length <= MAX_BACKSLASHES && bytes[at + length] === 0x5c) length++;
  return length > MAX_BACKSLASHES;
}

/** `\`, `%` and `&`. */
export const startsEscape = (byte: number): boolean =>
  byte === 0x5c || byte === 0x25 || byte === 0x26;

/**
 * The byte at `at`, or the character of the escape that starts there, after at most `decodings` of them. Sets
 * `text.end`. A character beyond ASCII that is not written as bytes is returned as its negative code point.
 */
export function readCharacter(
  text: EscapedText,
  at: number,
  decodings: number = MAX_DECODINGS,
  depth: number = MAX_DEPTH,
): number {
  let character = text.bytes[at] ?? 0;
  text.end = at + 1;
  for (let done = 0; done < decodings && text.end < text.limit; done++) {
    if (character !== 0x5c && character !== 0x25 && character !== 0x26) return character;
    const from = text.end;
    const decoded = decodeAfter(character, text, depth - 1, done);
    if (decoded === NONE) {
      text.end = from;
      return character;
    }
    character = decoded;
  }
  return character;
}

/** The character of the escape that starts with `first`, itself the result of `done` decodings, and continues at `end`. */
function decodeAfter(first: number, text: EscapedText, depth: number, done: number): number {
  if (first === 0x5c) return decodeAfterBackslash(text, depth, done);
  const { bytes, end } = text;
  // A program that escapes also escapes the first character of an escape: the second of two in a row is not part of one.
  if (bytes[end] === first && bytes[end - 1] === first) return NONE;
  if (first === 0x25) return readHex(2, text, depth);
  const next = readPart(text, depth);
  return next === 0x23 ? readNumber(text, depth) : readName(next, text, depth);
}

function decodeAfterBackslash(text: EscapedText, depth: number, done: number): number {
  const { bytes, end } = text;
  if (bytes[end - 1] === 0x5c && bytes[end] === 0x5c) return skipBackslashes(text);
  // The rest was decoded as often as the backslash itself: in `\\\\u`, it is the second backslash and not the `u`.
  const next = readPart(text, depth, done > 2 ? 2 : done);
  if (next === 0x75 /* u */) return readUnicodeEscape(text, depth);
  if (next === 0x78 /* x */) return readHex(2, text, depth);
  const character = next < 0 ? -1 : (AFTER_BACKSLASH[next] ?? -1);
  return character < 0 ? NONE : character;
}

/** Several in a row count as one: JSON within JSON doubles them each time. */
function skipBackslashes(text: EscapedText): number {
  const last = Math.min(text.end + MAX_BACKSLASHES, text.limit);
  while (text.end < last && text.bytes[text.end] === 0x5c) text.end++;
  return 0x5c;
}

/** The next character of an escape, itself unescaped. */
function readPart(text: EscapedText, depth: number, decodings: number = MAX_DECODINGS): number {
  if (text.end >= text.limit) return NONE;
  return readCharacter(text, text.end, depth > 0 ? decodings : 0, depth);
}

function hexDigit(character: number): number {
  if (character >= 0x30 && character <= 0x39) return character - 0x30;
  const letter = character | 0x20;
  return character > 0 && letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function readHex(digits: number, text: EscapedText, depth: number): number {
  let value = 0;
  for (let left = digits; left > 0; left--) {
    const digit = hexDigit(readPart(text, depth));
    if (digit < 0) return NONE;
    value = value * 16 + digit;
  }
  return value;
}

/** A code point as `readCharacter` returns it. */
const ofCodePoint = (codePoint: number): number => (codePoint < 0x80 ? codePoint : -codePoint);

/** The rest of `\u00e9`; both halves of a surrogate pair. */
function readUnicodeEscape(text: EscapedText, depth: number): number {
  const unit = readHex(4, text, depth);
  if (unit === NONE) return NONE;
  const from = text.end;
  if (unit >= 0xd800 && unit <= 0xdbff) {
    const low = -readPart(text, depth);
    if (low >= 0xdc00 && low <= 0xdfff) return -((unit - 0xd800) * 0x400 + low - 0xdc00 + 0x10000);
  }
  text.end = from;
  return ofCodePoint(unit);
}

/** The rest of `&#47;` or `&#x2f;`. */
function readNumber(text: EscapedText, depth: number): number {
  let next = readPart(text, depth);
  const isHex = (next | 0x20) === 0x78;
  if (isHex) next = readPart(text, depth);
  const base = isHex ? 16 : 10;
  let value = 0;
  for (let digits = 1; digits <= MAX_REFERENCE_DIGITS; digits++) {
    const digit = hexDigit(next);
    if (digit < 0 || digit >= base) return NONE;
    value = value * base + digit;
    next = readPart(text, depth);
    if (next === 0x3b /* ; */) return value > 0x10ffff ? NONE : ofCodePoint(value);
  }
  return NONE;
}

/** The rest of `&plus;`. */
function readName(first: number, text: EscapedText, depth: number): number {
  let hash = 0;
  let next = first;
  for (let letters = 0; isLetter(next) && letters < MAX_NAME_LETTERS; letters++) {
    hash = addLetter(hash, next);
    next = readPart(text, depth);
  }
  return next === 0x3b /* ; */ ? (NAMED.get(hash) ?? NONE) : NONE;
}

const isLetter = (character: number): boolean =>
  (character >= 0x41 && character <= 0x5a) || (character >= 0x61 && character <= 0x7a);
