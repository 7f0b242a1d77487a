import { GatewayError } from '../kernel/error.ts';

/** Deeper than any honest argument, and shallow enough for every recursive walk that follows. */
const MAX_DEPTH = 64;

/**
 * Reads a JSON body (RFC 8259). Throws `unreadable_request` for what is not JSON, and `invalid_request` for
 * nesting deeper than 64 levels and for an object that names a member twice: parsers disagree on which of the
 * two counts, so that a check and the call behind it could see different arguments.
 */
export function readJson(body: Buffer): unknown {
  const text = body.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new GatewayError('unreadable_request', undefined, { cause });
  }
  const written = countWrittenMembers(text);
  if (written !== countMembers(value)) {
    throw new GatewayError('invalid_request', 'An object in the request names a member twice.');
  }
  return value;
}

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;

/** Members written in a valid JSON text, which are its colons outside strings. Throws when nested too deeply. */
function countWrittenMembers(text: string): number {
  let members = 0;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    else if (code === COLON) members++;
    else if (code === 123 || code === 91) {
      if (++depth > MAX_DEPTH) {
        throw new GatewayError(
          'invalid_request',
          `The request is nested deeper than ${MAX_DEPTH} levels.`,
        );
      }
    } else if (code === 125 || code === 93) depth--;
  }
  return members;
}

/** Index of the quote that closes the string opened at `start`. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; ; i++) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i++;
    else if (code === QUOTE) return i;
  }
}

/** Members that survived parsing; the depth is bounded by the check before. */
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
