import { beginsEscape, characterEnd, MAX_DECODINGS, readCharacter } from './escaped-character.ts';
import type { Needle } from './secret-needle.ts';

/** Nothing was found. */
export const NONE = -1;

/** Ways that are tried where both a character itself and what it begins may be meant. */
const MAX_TRIES = 1000;
let triesLeft = 0;

/** Where the needle ends that begins at `at`, however its characters are escaped; `NONE` if it is not there. */
export function matchNeedle(needle: Needle, bytes: Uint8Array, at: number, limit: number): number {
  triesLeft = MAX_TRIES;
  const end = matchFrom(needle, 0, bytes, at, limit);
  return end === NONE || needle.tail === 0 ? end : tailEnd(needle.tail, bytes, end, limit);
}

function matchFrom(
  needle: Needle,
  first: number,
  bytes: Uint8Array,
  from: number,
  limit: number,
): number {
  const { bytes: wanted, fold } = needle;
  let at = from;
  let index = first;
  while (index < wanted.length) {
    if (at >= limit) return NONE;
    const byte = bytes[at] ?? 0;
    const want = wanted[index] ?? 0;
    if (byte !== 0x5c && byte !== 0x25 && byte !== 0x26) {
      if (fold[byte] !== want) return NONE;
      at++;
      index++;
    } else if (beginsEscape(want)) {
      return matchEither(needle, index, bytes, at, limit);
    } else {
      const character = readCharacter(bytes, at, limit);
      const matched =
        character < 0 ? matchWide(wanted, index, -character) : fold[character] === want;
      if (!matched) return NONE;
      at = characterEnd();
      index += character < 0 ? utf8Length(-character) : 1;
    }
  }
  return at;
}

/** The needle has a character that begins escapes: in the text it may be itself, escaped once, or more often. */
function matchEither(
  needle: Needle,
  index: number,
  bytes: Uint8Array,
  at: number,
  limit: number,
): number {
  let end = at;
  for (let decodings = 0; decodings <= MAX_DECODINGS; decodings++) {
    const character = readCharacter(bytes, at, limit, decodings);
    if (decodings > 0 && characterEnd() === end) return NONE;
    end = characterEnd();
    if (character !== needle.bytes[index]) continue;
    // Beyond the limit nothing is known; what is hidden too much does no harm.
    if (--triesLeft < 0) return limit;
    const found = matchFrom(needle, index + 1, bytes, end, limit);
    if (found !== NONE) return found;
  }
  return NONE;
}

/** Is this code point beyond ASCII the needle's next? */
function matchWide(wanted: Uint8Array, index: number, codePoint: number): boolean {
  if ((wanted[index] ?? 0) < 0x80) return false;
  const bytes = Buffer.from(String.fromCodePoint(codePoint));
  return bytes.equals(wanted.subarray(index, index + bytes.length));
}

const utf8Length = (codePoint: number): number =>
  codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;

/** The end of a match in base64 with its last bits and its padding. */
function tailEnd(tail: number, bytes: Uint8Array, from: number, limit: number): number {
  let end = from;
  for (let left = tail + 2; left > 0 && end < limit; left--) {
    const character = readCharacter(bytes, end, limit);
    if (character !== 0x3d /* = */ && (left <= 2 || !isBase64(character))) return end;
    end = characterEnd();
  }
  return end;
}

const isBase64 = (character: number): boolean =>
  character > 0 && /[\w+/-]/.test(String.fromCharCode(character));
