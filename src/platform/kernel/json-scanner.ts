/**
 * The table has one entry for every value, in document order. Its fields: where the value starts and ends, the index of
 * the next value outside it, the number of its children, and where its key starts and ends; `KEY_START` is `NONE`
 * without a key.
 */
export const START = 0;
export const END = 1;
export const NEXT = 2;
export const COUNT = 3;
export const KEY_START = 4;
export const KEY_END = 5;
export const STRIDE = 6;

/** No value, or invalid JSON. */
export const NONE = -1;

const USUAL_LENGTH = 4096 * STRIDE;
/** Reused for every document: a new table would cost as much as the scan. */
let sharedTable: Int32Array = new Int32Array(USUAL_LENGTH);

/** The number of scans so far: a result is valid while it stays the same. */
export let scans = 0;

/** What a text may have at most. */
export interface JsonLimits {
  /** Objects and arrays within each other. */
  readonly maxDepth: number;
  /** Values within the root. */
  readonly maxValues: number;
}

/** What callers may send. */
export const INPUT_LIMITS: JsonLimits = {
  /** Deeper than legitimate arguments, and shallow enough for every recursive function that follows. */
  maxDepth: 64,
  /** Values in one body, as in a batch of 50 calls with 400 each. Parsing them takes about 15 ms at worst. */
  maxValues: 20_000,
};

const NO_LIMITS: JsonLimits = { maxDepth: Infinity, maxValues: Infinity };

/** Thrown at the first value beyond a limit, even if the rest is not JSON. */
export class JsonLimitError extends Error {
  readonly limit: keyof JsonLimits;
  readonly offset: number;

  constructor(limit: keyof JsonLimits, offset: number) {
    super(`The JSON text exceeds ${limit}.`);
    this.limit = limit;
    this.offset = offset;
  }
}

/**
 * Checks that bytes, which the caller guarantees to be UTF-8, are one JSON text (RFC 8259), and locates its values
 * without building them: the garbage of JSON.parse costs a busy gateway more than the parsing. The index of the root is
 * 0. The result is valid until the next scan. Throws SyntaxError or JsonLimitError.
 */
export function scanJson(json: Buffer, limits: JsonLimits = NO_LIMITS): Int32Array {
  if (sharedTable.length > USUAL_LENGTH) sharedTable = new Int32Array(USUAL_LENGTH);
  scans++;
  if (!scan(json, json.length, limits)) throw new SyntaxError('The text is not valid JSON.');
  return sharedTable;
}

/*
 * Characters are written as numbers below, and `length` is a parameter: V8 reads a module's named constants from memory
 * at every use, which made these loops half as fast.
 */

/** Depth costs no stack: until its end is known, a container stores the index of its parent in `END`. */
function scan(json: Buffer, length: number, { maxDepth, maxValues }: JsonLimits): boolean {
  let table = sharedTable;
  let lastPlace = Math.min(table.length - 2 * STRIDE, maxValues * STRIDE);
  let depth = 0;
  let container = NONE;
  let opening = 0;
  let place = 0;
  let at = 0;
  table[KEY_START] = NONE;
  while (at < length) {
    const first = json[at] ?? 0;
    if (first <= 0x20) {
      if (!isSpace(first)) return false;
      at++;
      continue;
    }
    if (place > lastPlace) {
      if (place > maxValues * STRIDE) throw new JsonLimitError('maxValues', at);
      table = grow();
      lastPlace = Math.min(table.length - 2 * STRIDE, maxValues * STRIDE);
    }
    const here = place;
    place += STRIDE;
    table[here] = at;
    table[here + COUNT] = 0;
    if (first === 0x22 /* " */) at = stringEnd(json, at, length);
    else if (
      (first | 0x20) ===
      0x7b /* { or [, whose closing brackets come two characters later */
    ) {
      if (depth >= maxDepth) throw new JsonLimitError('maxDepth', at);
      at = skipSpace(json, at + 1, length);
      if (at < length && json[at] !== first + 2) {
        table[here + END] = container;
        container = here;
        opening = first;
        depth++;
        if (opening === 0x7b) at = keyEnd(json, at, length, place);
        else table[place + KEY_START] = NONE;
        if (at === NONE) return false;
        continue;
      }
      at++;
    } else at = wordEnd(json, at, length);
    if (at === NONE) return false;
    table[here + END] = at;
    table[here + NEXT] = place;
    for (;;) {
      at = skipSpace(json, at, length);
      if (container === NONE) return at === length;
      if (at >= length) return false;
      table[container + COUNT] = (table[container + COUNT] ?? 0) + 1;
      const byte = json[at++];
      if (byte === 0x2c /* , */) break;
      if (byte !== opening + 2) return false;
      const outer: number = table[container + END] ?? NONE;
      table[container + END] = at;
      table[container + NEXT] = place;
      container = outer;
      depth--;
      if (container !== NONE) opening = json[table[container] ?? 0] ?? 0;
    }
    if (opening === 0x7b) at = keyEnd(json, at, length, place);
    else table[place + KEY_START] = NONE;
    if (at === NONE) return false;
  }
  return false;
}

function grow(): Int32Array {
  const larger = new Int32Array(sharedTable.length * 2);
  larger.set(sharedTable);
  sharedTable = larger;
  return larger;
}

/** White space of JSON and XML. */
export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

function skipSpace(json: Buffer, from: number, length: number): number {
  let at = from;
  // White space is rare: usually the first comparison ends the loop.
  while (at < length && (json[at] ?? 0) <= 0x20 && isSpace(json[at])) at++;
  return at;
}

/** The end of a member's key and its colon. Stores the key in the entry at `place`. */
function keyEnd(json: Buffer, from: number, length: number, place: number): number {
  const start = skipSpace(json, from, length);
  const end = start < length && json[start] === 0x22 ? stringEnd(json, start, length) : NONE;
  if (end === NONE) return NONE;
  sharedTable[place + KEY_START] = start;
  sharedTable[place + KEY_END] = end;
  const colon = skipSpace(json, end, length);
  return colon < length && json[colon] === 0x3a ? colon + 1 : NONE;
}

/** The end of the string that starts at `from`. */
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

/** The number of characters after the backslash that belong to an escape; 0 if it is invalid. */
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

/** The end of the number, `true`, `false` or `null` that starts at `from`. */
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

/** The end of one or more digits at `from`. */
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
