import { type EscapedText, MAX_DECODINGS, readCharacter, startsEscape } from './escaped-text.ts';
import type { Needle } from './secret-needle.ts';

/** No match. */
export const NONE = -1;

/** Alternatives that are tried where a character may stand for itself or start an escape. */
const MAX_TRIES = 1000;
let triesLeft = 0;

/** The end of the needle that starts at `at`, however its characters are escaped; `NONE` if it does not match. */
export function matchNeedle(needle: Needle, text: EscapedText, at: number): number {
  triesLeft = MAX_TRIES;
  const end = matchFrom(needle, 0, text, at);
  return end === NONE || needle.tail === 0 ? end : tailEnd(needle.tail, text, end);
}

function matchFrom(needle: Needle, first: number, text: EscapedText, from: number): number {
  const { bytes: wanted, fold } = needle;
  const { bytes, limit } = text;
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
    } else if (startsEscape(want)) {
      return matchEither(needle, index, text, at);
    } else {
      const character = readCharacter(text, at);
      const matched =
        character < 0 ? matchWide(wanted, index, -character) : fold[character] === want;
      if (!matched) return NONE;
      at = text.end;
      index += character < 0 ? utf8Length(-character) : 1;
    }
  }
  return at;
}

/** The needle has a character that starts escapes: the text may have it as it is, escaped once, or more often. */
function matchEither(needle: Needle, index: number, text: EscapedText, at: number): number {
  let end = at;
  for (let decodings = 0; decodings <= MAX_DECODINGS; decodings++) {
    const character = readCharacter(text, at, decodings);
    if (decodings > 0 && text.end === end) return NONE;
    end = text.end;
    if (character !== needle.bytes[index]) continue;
    // Beyond the bound the result is unknown; redacting too much is harmless.
    if (--triesLeft < 0) return text.limit;
    const found = matchFrom(needle, index + 1, text, end);
    if (found !== NONE) return found;
  }
  return NONE;
}

/** Whether this code point beyond ASCII is the needle's next character. */
function matchWide(wanted: Uint8Array, index: number, codePoint: number): boolean {
  if ((wanted[index] ?? 0) < 0x80) return false;
  const bytes = Buffer.from(String.fromCodePoint(codePoint));
  return bytes.equals(wanted.subarray(index, index + bytes.length));
}

const utf8Length = (codePoint: number): number =>
  codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;

/** The end of a match in base64, including its last bits and its padding. */
function tailEnd(tail: number, text: EscapedText, from: number): number {
  let end = from;
  for (let left = tail + 2; left > 0 && end < text.limit; left--) {
    const character = readCharacter(text, end);
    if (character !== 0x3d /* = */ && (left <= 2 || !isBase64(character))) return end;
    end = text.end;
  }
  return end;
}

const isBase64 = (character: number): boolean =>
  character > 0 && /[\w+/-]/.test(String.fromCharCode(character));
