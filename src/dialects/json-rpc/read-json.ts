import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../../platform/kernel/error.ts';
import { fitsDouble } from '../../platform/kernel/exact-number.ts';

/** Deeper than legitimate arguments, and shallow enough for every recursive function that follows. */
const MAX_DEPTH = 64;

/** Values in one body, as in a batch of 50 calls with 400 each. Parsing them takes about 15 ms at worst. */
const MAX_VALUES = 20_000;

/** Longest body in which numbers that a double cannot hold are preserved: parsing them takes several times as long. */
const MAX_INEXACT_LENGTH = 65_536;

/**
 * Parses a JSON body (RFC 8259) without changing any value: a number that a double cannot hold becomes an ExactNumber,
 * or is refused in a body over 64 KiB. Throws `unreadable_request` if the body is not JSON in UTF-8, and
 * `invalid_request` for nesting deeper than 64 levels, more than 20,000 values, or an object with a duplicate member:
 * parsers disagree on which of the two counts, so that a check and the call could see different arguments.
 */
export function readJson(body: Buffer): unknown {
  if (!isUtf8(body)) {
    throw new GatewayError('unreadable_request', 'The request body is not valid UTF-8.');
  }
  const text = body.toString('utf8');
  const { members, isExact } = survey(text);
  const value = parse(text);
  if (members !== countMembers(value)) {
    throw new GatewayError('invalid_request', 'An object in the request names a member twice.');
  }
  if (isExact) return value;
  if (text.length > MAX_INEXACT_LENGTH) throw inexact();
  return JSON.parse(text, keepNumber);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new GatewayError('unreadable_request', undefined, { cause });
  }
}

const keepNumber = (_key: string, value: unknown, { source }: { source?: string }): unknown =>
  typeof value === 'number' && source !== undefined && !fitsDouble(source)
    ? JSON.rawJSON(source)
    : value;

/** What is known of a JSON text before it is parsed. */
interface Survey {
  /** Members, counted as colons outside strings. */
  readonly members: number;
  /** Whether parsing preserves every number. */
  readonly isExact: boolean;
}

/** Scans a text, which may not be JSON. Throws if it is nested too deeply or has too many values. */
function survey(text: string): Survey {
  let members = 0;
  let values = 0;
  let depth = 0;
  let isExact = true;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    else if (code === COLON) members++;
    else if (code === COMMA) values++;
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      values++;
      if (++depth > MAX_DEPTH) throw tooDeep();
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth--;
    else if (isDigit(code)) {
      const end = endOfNumber(text, i);
      if (end - i > SAFE_LENGTH) isExact &&= fitsDouble(text.slice(i, end));
      i = end - 1;
    }
    if (values > MAX_VALUES) throw tooMany();
  }
  return { members, isExact };
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** A double holds every number of this length. */
const SAFE_LENGTH = 4;

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

const tooDeep = (): GatewayError =>
  new GatewayError('invalid_request', `The request is nested deeper than ${MAX_DEPTH} levels.`);

const inexact = (): GatewayError =>
  new GatewayError(
    'invalid_request',
    'The request has a number beyond the range of doubles (integers: 2^53). Send it as a string, in quotes.',
  );

const tooMany = (): GatewayError =>
  new GatewayError(
    'invalid_request',
    `The request has more than ${MAX_VALUES} values. Send it in parts.`,
  );

/** Index of the quote that closes the string opened at `start`, or the end of an incomplete text. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i++;
    else if (code === QUOTE) return i;
  }
  return text.length;
}

/** Index after the number that has a digit at `start`. */
function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && isOfNumber(text.charCodeAt(end))) end++;
  return end;
}

/** Digits and `+ - . e E`. */
const isOfNumber = (code: number): boolean =>
  isDigit(code) || code === 43 || code === 45 || code === 46 || (code | 32) === 101;

/** Members left after parsing. `survey` has bounded the depth. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) {
    let members = 0;
    for (const item of value) members += countMembers(item);
    return members;
  }
  let members = 0;
  for (const key of Object.keys(value)) {
    members += 1 + countMembers((value as Record<string, unknown>)[key]);
  }
  return members;
}
