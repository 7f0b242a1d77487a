import { isUtf8 } from 'node:buffer';
import { overBudget, SMALL_BYTES } from '../../platform/kernel/byte-budget.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { fitsDouble, keepsDigits, parseExactly } from '../../platform/kernel/exact-number.ts';
import {
  COUNT,
  END,
  INPUT_LIMITS,
  JsonLimitError,
  NEXT,
  START,
  STRIDE,
  scanJson,
} from '../../platform/kernel/json-scanner.ts';
import type { RouteRequest } from '../route.ts';

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
  const { members, isExact, hasLongNumbers } = survey(body, scan(body));
  const text = body.toString('utf8');
  const value: unknown = JSON.parse(text);
  if (members !== countMembers(value)) {
    throw invalid('An object in the request names a member twice.');
  }
  if (isExact && !(hasLongNumbers && text.length <= MAX_INEXACT_LENGTH)) return value;
  if (text.length > MAX_INEXACT_LENGTH) {
    throw invalid(
      'The request has a number beyond the range of doubles (integers: 2^53). Send it as a string, in quotes.',
    );
  }
  return parseExactly(text);
}

function scan(body: Buffer): Int32Array {
  try {
    return scanJson(body, INPUT_LIMITS);
  } catch (cause) {
    if (!(cause instanceof JsonLimitError)) {
      throw new GatewayError('unreadable_request', undefined, { cause });
    }
    if (cause.limit === 'maxValues') throw tooMany();
    throw invalid(`The request is nested deeper than ${INPUT_LIMITS.maxDepth} levels.`);
  }
}

/**
 * Counts the members of all objects, and says whether parsing preserves every number. Throws if the text has too many
 * values, among which an empty object or array counts twice.
 */
function survey(body: Buffer, table: Int32Array) {
  const end = table[NEXT] ?? 0;
  let members = 0;
  let values = end / STRIDE - 1;
  let isExact = true;
  let hasLongNumbers = false;
  for (let place = 0; place < end; place += STRIDE) {
    const start = table[place + START] ?? 0;
    const first = body[start] ?? 0;
    if (first === QUOTE) continue;
    if (first >= OPEN_ARRAY) {
      const count = table[place + COUNT] ?? 0;
      if (first === OPEN_OBJECT) members += count;
      if (count === 0 && (first | 0x20) === OPEN_OBJECT) values++;
    } else {
      const after = table[place + END] ?? 0;
      if (after - start > SAFE_LENGTH) {
        const written = body.toString('latin1', start, after);
        isExact &&= fitsDouble(written);
        hasLongNumbers ||= !keepsDigits(written);
      }
    }
  }
  if (values > INPUT_LIMITS.maxValues) throw tooMany();
  return { members, isExact, hasLongNumbers };
}

const QUOTE = 0x22;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/** A double holds every number of this length. */
const SAFE_LENGTH = 4;

const invalid = (message: string): GatewayError => new GatewayError('invalid_request', message);

const tooMany = (): GatewayError =>
  invalid(`The request has more than ${INPUT_LIMITS.maxValues} values. Send it in parts.`);

/** Members left after parsing. The scan has bounded the depth. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) {
    let members = 0;
    for (const item of value) members += countMembers(item);
    return members;
  }
  let members = 0;
  // A list of the names would be another object. What was parsed inherits no members.
  for (const name in value) members += 1 + countMembers((value as Record<string, unknown>)[name]);
  return members;
}

/** Upper bound of the memory that a parsed body takes (string, objects, arrays), for each byte of the body. */
const PARSED_BYTES_PER_BYTE = 8;

/** Reserves the memory for parsing a large body. Small bodies are not counted. Throws `overloaded`. */
export function reserveForParsing({ body, memory }: Pick<RouteRequest, 'body' | 'memory'>): void {
  if (body === null || body.length <= SMALL_BYTES) return;
  if (!memory().take(PARSED_BYTES_PER_BYTE * body.length)) throw overBudget();
}
