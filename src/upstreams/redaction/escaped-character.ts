/**
 * Reads characters however they are escaped: percent-encoded (RFC 3986), as a JSON or JavaScript escape, as an XML or
 * HTML character reference, and one within another, such as `%252F`, `\u0025\u0032F` or `&#37;2F`.
 *
 * Characters are written as numbers, because V8 reads a module's named constants from memory at every use.
 */

/** No character could be read. */
const NONE = -0x200000;

/** Escapes that are undone one after another at one place: the character of one may begin the next. */
export const MAX_DECODINGS = 5;
/** How deep the characters that make up an escape may be escaped themselves. */
const MAX_DEPTH = 3;
/** Those before a quotation mark in JSON within JSON, four deep. */
const MAX_BACKSLASHES = 15;
const MAX_REFERENCE_DIGITS = 8;
const MAX_NAME_LETTERS = 6;

/** HTML's names for what may stand in a credential and cannot stand everywhere as it is. */
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

/** A name as a number, which is made letter by letter without making texts. */
function hashOf(name: string): number {
  return [...name].reduce((hash, letter) => addLetter(hash, letter.charCodeAt(0)), 0);
}

function addLetter(hash: number, letter: number): number {
  return (Math.imul(hash, 53) + letter) | 0;
}

/** What the letter after a backslash stands for, in JSON and JavaScript. */
const AFTER_BACKSLASH = new Int16Array(256).fill(-1);
for (const [letter, character] of Object.entries({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' })) {
  AFTER_BACKSLASH[letter.charCodeAt(0)] = character.charCodeAt(0);
}
for (const character of Buffer.from('"\'/\\')) AFTER_BACKSLASH[character] = character;

let end = 0;

/** Where the character that was read last ends. */
export const characterEnd = (): number => end;

/** Do more backslashes follow each other here than any number of escapes within escapes makes? */
export function isBackslashRun(bytes: Uint8Array, at: number): boolean {
  let length = 0;
  while (length <= MAX_BACKSLASHES && bytes[at + length] === 0x5c) length++;
  return length > MAX_BACKSLASHES;
}

/** `\`, `%` and `&`. */
export const beginsEscape = (byte: number): boolean =>
  byte === 0x5c || byte === 0x25 || byte === 0x26;

/**
 * The byte at `at`, or the one that an escape stands for which begins there, after at most `decodings` of them;
 * `characterEnd` tells where it ends. A character beyond ASCII that is not given by its bytes is its code point,
 * negative.
 */
export function readCharacter(
  bytes: Uint8Array,
  at: number,
  limit: number,
  decodings: number = MAX_DECODINGS,
  depth: number = MAX_DEPTH,
): number {
  let character = bytes[at] ?? 0;
  end = at + 1;
  for (let done = 0; done < decodings && end < limit; done++) {
    if (character !== 0x5c && character !== 0x25 && character !== 0x26) return character;
    const from = end;
    const decoded = decodeAfter(character, bytes, limit, depth - 1, done);
    if (decoded === NONE) {
      end = from;
      return character;
    }
    character = decoded;
  }
  return character;
}

/** The character of the escape that `first` begins, which `done` decodings made; `end` is where its next one stands. */
function decodeAfter(
  first: number,
  bytes: Uint8Array,
  limit: number,
  depth: number,
  done: number,
): number {
  if (first === 0x5c) return decodeAfterBackslash(bytes, limit, depth, done);
  // Who writes escapes escapes the character that begins them too: the second of two in a row begins no part of one.
  if (bytes[end] === first && bytes[end - 1] === first) return NONE;
  if (first === 0x25) return readHex(2, bytes, limit, depth);
  const next = readPart(bytes, limit, depth);
  return next === 0x23 ? readNumber(bytes, limit, depth) : readName(next, bytes, limit, depth);
}

function decodeAfterBackslash(
  bytes: Uint8Array,
  limit: number,
  depth: number,
  done: number,
): number {
  if (bytes[end - 1] === 0x5c && bytes[end] === 0x5c) return skipBackslashes(bytes, limit);
  // What follows was decoded as often as the backslash itself: of `\\\\u`, it is the second backslash and not the `u`.
  const next = readPart(bytes, limit, depth, done > 2 ? 2 : done);
  if (next === 0x75 /* u */) return readUnicodeEscape(bytes, limit, depth);
  if (next === 0x78 /* x */) return readHex(2, bytes, limit, depth);
  const character = next < 0 ? -1 : (AFTER_BACKSLASH[next] ?? -1);
  return character < 0 ? NONE : character;
}

/** Several in a row are one: JSON within JSON doubles them each time. */
function skipBackslashes(bytes: Uint8Array, limit: number): number {
  const last = Math.min(end + MAX_BACKSLASHES, limit);
  while (end < last && bytes[end] === 0x5c) end++;
  return 0x5c;
}

/** The next character of an escape, itself unescaped. */
function readPart(
  bytes: Uint8Array,
  limit: number,
  depth: number,
  decodings: number = MAX_DECODINGS,
): number {
  if (end >= limit) return NONE;
  return readCharacter(bytes, end, limit, depth > 0 ? decodings : 0, depth);
}

function hexDigit(character: number): number {
  if (character >= 0x30 && character <= 0x39) return character - 0x30;
  const letter = character | 0x20;
  return character > 0 && letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function readHex(digits: number, bytes: Uint8Array, limit: number, depth: number): number {
  let value = 0;
  for (let left = digits; left > 0; left--) {
    const digit = hexDigit(readPart(bytes, limit, depth));
    if (digit < 0) return NONE;
    value = value * 16 + digit;
  }
  return value;
}

/** A code point as `readCharacter` returns it. */
const ofCodePoint = (codePoint: number): number => (codePoint < 0x80 ? codePoint : -codePoint);

/** The rest of `\u00e9`; of a surrogate pair both halves. */
function readUnicodeEscape(bytes: Uint8Array, limit: number, depth: number): number {
  const unit = readHex(4, bytes, limit, depth);
  if (unit === NONE) return NONE;
  const from = end;
  if (unit >= 0xd800 && unit <= 0xdbff) {
    const low = -readPart(bytes, limit, depth);
    if (low >= 0xdc00 && low <= 0xdfff) return -((unit - 0xd800) * 0x400 + low - 0xdc00 + 0x10000);
  }
  end = from;
  return ofCodePoint(unit);
}

/** The rest of `&#47;` or `&#x2f;`. */
function readNumber(bytes: Uint8Array, limit: number, depth: number): number {
  let next = readPart(bytes, limit, depth);
  const isHex = (next | 0x20) === 0x78;
  if (isHex) next = readPart(bytes, limit, depth);
  const base = isHex ? 16 : 10;
  let value = 0;
  for (let digits = 1; digits <= MAX_REFERENCE_DIGITS; digits++) {
    const digit = hexDigit(next);
    if (digit < 0 || digit >= base) return NONE;
    value = value * base + digit;
    next = readPart(bytes, limit, depth);
    if (next === 0x3b /* ; */) return value > 0x10ffff ? NONE : ofCodePoint(value);
  }
  return NONE;
}

/** The rest of `&plus;`. */
function readName(first: number, bytes: Uint8Array, limit: number, depth: number): number {
  let hash = 0;
  let next = first;
  for (let letters = 0; isLetter(next) && letters < MAX_NAME_LETTERS; letters++) {
    hash = addLetter(hash, next);
    next = readPart(bytes, limit, depth);
  }
  return next === 0x3b /* ; */ ? (NAMED.get(hash) ?? NONE) : NONE;
}

const isLetter = (character: number): boolean =>
  (character >= 0x41 && character <= 0x5a) || (character >= 0x61 && character <= 0x7a);
