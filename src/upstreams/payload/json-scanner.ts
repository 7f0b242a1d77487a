/**
 * Numbers kept for every value, in document order: where it starts and ends, the place of the next value that is not
 * within it, how many children it has, and where its key starts and ends.
 */
export const START = 0;
export const END = 1;
export const NEXT = 2;
export const COUNT = 3;
export const KEY_START = 4;
export const KEY_END = 5;
export const STRIDE = 6;

/** The place of no value, and the end of what is not JSON. */
export const NONE = -1;

const USUAL_LENGTH = 4096 * STRIDE;
/** Kept from one document to the next: new ones for each would cost as much as the scan. */
let places: Int32Array = new Int32Array(USUAL_LENGTH);

/**
 * Checks that bytes (UTF-8, as the caller knows) are one JSON text by RFC 8259, and finds its values without building
 * them: what JSON.parse leaves behind costs a busy gateway more than the parsing. The root's place is 0. The result is
 * valid until the next scan. Throws SyntaxError.
 */
export function scanJson(json: Buffer): Int32Array {
  if (places.length > USUAL_LENGTH) places = new Int32Array(USUAL_LENGTH);
  if (!scan(json, json.length)) throw new SyntaxError('This is not JSON.');
  return places;
}

/*
 * Characters are written as numbers below, and `length` is handed down: V8 reads a module's named constants from
 * memory at every use, which made these loops half as fast.
 */

/** Depth costs no stack: until its end is known, a container keeps the place of the one around it there. */
function scan(json: Buffer, length: number): boolean {
  let kept = places;
  let container = NONE;
  let opening = 0;
  let place = 0;
  let at = 0;
  while (at < length) {
    const first = json[at] ?? 0;
    if (first <= 0x20) {
      if (!isSpace(first)) return false;
      at++;
      continue;
    }
    if (place + 2 * STRIDE > kept.length) kept = grow();
    const here = place;
    place += STRIDE;
    kept[here] = at;
    kept[here + COUNT] = 0;
    if (first === 0x22 /* " */) at = stringEnd(json, at, length);
    else if (
      (first | 0x20) ===
      0x7b /* { or [, whose closing brackets come two characters later */
    ) {
      at = skipSpace(json, at + 1, length);
      if (at < length && json[at] !== first + 2) {
        kept[here + END] = container;
        container = here;
        opening = first;
        if (opening === 0x7b) at = keyEnd(json, at, length, place);
        if (at === NONE) return false;
        continue;
      }
      at++;
    } else at = wordEnd(json, at, length);
    if (at === NONE) return false;
    kept[here + END] = at;
    kept[here + NEXT] = place;
    for (;;) {
      at = skipSpace(json, at, length);
      if (container === NONE) return at === length;
      if (at >= length) return false;
      kept[container + COUNT] = (kept[container + COUNT] ?? 0) + 1;
      const byte = json[at++];
      if (byte === 0x2c /* , */) break;
      if (byte !== opening + 2) return false;
      const outer: number = kept[container + END] ?? NONE;
      kept[container + END] = at;
      kept[container + NEXT] = place;
      container = outer;
      if (container !== NONE) opening = json[kept[container] ?? 0] ?? 0;
    }
    if (opening === 0x7b) at = keyEnd(json, at, length, place);
    if (at === NONE) return false;
  }
  return false;
}

function grow(): Int32Array {
  const larger = new Int32Array(places.length * 2);
  larger.set(places);
  places = larger;
  return larger;
}

/** White space as JSON and XML know it. */
export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

function skipSpace(json: Buffer, from: number, length: number): number {
  let at = from;
  // Nearly always there is none, which one comparison tells.
  while (at < length && (json[at] ?? 0) <= 0x20 && isSpace(json[at])) at++;
  return at;
}

/** The end of a member's key and its colon; the key is kept for the value at `place`. */
function keyEnd(json: Buffer, from: number, length: number, place: number): number {
  const start = skipSpace(json, from, length);
  const end = start < length && json[start] === 0x22 ? stringEnd(json, start, length) : NONE;
  if (end === NONE) return NONE;
  places[place + KEY_START] = start;
  places[place + KEY_END] = end;
  const colon = skipSpace(json, end, length);
  return colon < length && json[colon] === 0x3a ? colon + 1 : NONE;
}

/** The end of the string that begins at `from`. */
function stringEnd(json: Buffer, from: number, length: number): number {
  for (let at = from + 1; at < length; at++) {
    const byte = json[at] ?? 0;
    if (byte === 0x22 /* " */) return at + 1;
    if (byte === 0x5c /* \ */) {
      const escaped = escapeLength(json, at + 1, length);
      if (escaped === 0) return NONE;
      at += escaped;
    } else if (byte < 0x20) return NONE;
  }
  return NONE;
}

const ESCAPED = new Uint8Array(256);
for (const letter of Buffer.from('"\\/bfnrt')) ESCAPED[letter] = 1;

/** Characters after the backslash that belong to an escape; 0 for what is none. */
function escapeLength(json: Buffer, at: number, length: number): number {
  if (at >= length) return 0;
  const letter = json[at] ?? 0;
  if (letter !== 0x75 /* u */) return ESCAPED[letter] ?? 0;
  for (let digit = at + 1; digit <= at + 4; digit++) {
    if (digit >= length || !isHexDigit(json[digit] ?? 0)) return 0;
  }
  return 5;
}

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

const isHexDigit = (byte: number): boolean =>
  isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);

/** The end of the number, `true`, `false` or `null` that begins at `from`. */
function wordEnd(json: Buffer, from: number, length: number): number {
  const first = json[from] ?? 0;
  if (first !== 0x2d /* - */ && !isDigit(first)) return nameEnd(json, from, length);
  const digits = first === 0x2d ? from + 1 : from;
  let at = digitsEnd(json, digits, length);
  if (at === NONE || (json[digits] === 0x30 /* 0 */ && at > digits + 1)) return NONE;
  if (at < length && json[at] === 0x2e /* . */) at = digitsEnd(json, at + 1, length);
  const hasExponent = at !== NONE && at < length && ((json[at] ?? 0) | 0x20) === 0x65; /* e */
  return hasExponent ? exponentEnd(json, at + 1, length) : at;
}

function exponentEnd(json: Buffer, from: number, length: number): number {
  const sign = from < length ? json[from] : 0;
  return digitsEnd(json, sign === 0x2b || sign === 0x2d ? from + 1 : from, length);
}

/** The end of the digits at `from`, of which there must be one. */
function digitsEnd(json: Buffer, from: number, length: number): number {
  let at = from;
  while (at < length && isDigit(json[at] ?? 0)) at++;
  return at === from ? NONE : at;
}

function nameEnd(json: Buffer, from: number, length: number): number {
  const text = json.toString('latin1', from, Math.min(from + 5, length));
  if (text === 'false') return from + 5;
  return text.startsWith('true') || text.startsWith('null') ? from + 4 : NONE;
}
