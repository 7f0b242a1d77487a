import { type EscapedText, isBackslashRun, readCharacter, startsEscape } from './escaped-text.ts';
import { matchNeedle, NONE } from './match-needle.ts';
import type { Needle } from './secret-needle.ts';

/** Finds needles in a text, in one pass. */
export interface SecretMatcher {
  /** The start of the first needle between `from` and the limit of the text, or `NONE`. */
  find(text: EscapedText, from: number): number;
  /** Whether a needle starts at `at`. */
  matchAt(text: EscapedText, at: number): boolean;
  /** The end of the latest match. */
  end(): number;
}

/** Prepares the search. No needle may be empty. */
export function createSecretMatcher(needles: readonly Needle[]): SecretMatcher {
  const shortest = Math.min(...needles.map(({ bytes }) => bytes.length));
  const inside = insideTable(needles);
  const pairs = pairTable(needles);
  const byFirst = byFirstByte(needles);
  const startsBeyondAscii = needles.filter(({ bytes }) => (bytes[0] ?? 0) >= 0x80);
  const startsWithEscape = needles.some(({ bytes }) => startsEscape(bytes[0] ?? 0));
  let end = NONE;

  function candidates(text: EscapedText, at: number): readonly Needle[] {
    const byte = text.bytes[at] ?? 0;
    if (!startsEscape(byte)) return byFirst[byte] ?? [];
    if (startsWithEscape) return needles;
    if (isBackslashRun(text.bytes, at)) return [];
    const character = readCharacter(text, at);
    return character < 0 ? startsBeyondAscii : (byFirst[character] ?? []);
  }

  /** Sets `end` to that of the longest match. */
  function matchAt(text: EscapedText, at: number): boolean {
    end = NONE;
    for (const needle of candidates(text, at)) {
      end = Math.max(end, matchNeedle(needle, text, at));
    }
    return end !== NONE;
  }

  function findInRun(text: EscapedText, from: number): number {
    const { bytes, limit } = text;
    const last = limit - shortest;
    let byte = bytes[from] ?? 0;
    for (let at = from; at <= last; at++) {
      const next = at + 1 < limit ? (bytes[at + 1] ?? 0) : 0;
      if (pairs[((byte << 5) ^ next) & 0xfff] === 1 && matchAt(text, at)) return at;
      byte = next;
    }
    return NONE;
  }

  return {
    /**
     * Each character of a secret takes at least one byte, so that a match is a run of at least as many bytes as the
     * shortest needle has, all of which may occur in a needle. In most responses, checking every so many bytes finds
     * no such run.
     */
    find(text, from) {
      const { bytes, limit } = text;
      let at = from;
      while (at + shortest <= limit) {
        let last = at + shortest - 1;
        while (last >= at && inside[bytes[last] ?? 0] === 1) last--;
        if (last >= at) {
          at = last + 1;
          continue;
        }
        let runEnd = at + shortest;
        while (runEnd < limit && inside[bytes[runEnd] ?? 0] === 1) runEnd++;
        text.limit = runEnd;
        const found = findInRun(text, at);
        text.limit = limit;
        if (found !== NONE) return found;
        at = runEnd + 1;
      }
      return NONE;
    },
    matchAt,
    end: () => end,
  };
}

/** Beside letters and digits: the other characters of escapes, and the padding of base64. */
const OF_ESCAPES = Buffer.from('\\%&#;=');

const isAlphanumeric = (byte: number): boolean => /[0-9A-Za-z]/.test(String.fromCharCode(byte));

/** 1 for every byte that may occur in a needle, escaped or not. */
function insideTable(needles: readonly Needle[]): Uint8Array {
  const table = Uint8Array.from({ length: 256 }, (_, byte) =>
    Number(isAlphanumeric(byte) || OF_ESCAPES.includes(byte)),
  );
  for (const { bytes, fold } of needles) {
    const wanted = new Set(bytes);
    for (const [byte, folded] of fold.entries()) if (wanted.has(folded)) table[byte] = 1;
  }
  return table;
}

const byFirstByte = (needles: readonly Needle[]): readonly (readonly Needle[])[] =>
  Array.from({ length: 256 }, (_, byte) =>
    needles.filter(({ bytes, fold }) => bytes[0] === fold[byte]),
  );

/** The characters that may follow the first one of an escape. */
const AFTER_ESCAPE: Readonly<Record<string, RegExp>> = {
  '%': /[0-9A-Fa-f\\&]/,
  '&': /[#A-Za-z\\%]/,
  '\\': /[\\"'/uxnrtbf&%]/,
};

/**
 * 1 for every pair of bytes that a needle may start with, escaped or not, indexed by their hash; other pairs may share
 * it. After a needle of one character, any byte may follow.
 */
function pairTable(needles: readonly Needle[]): Uint8Array {
  const table = new Uint8Array(0x1000);
  for (let first = 0; first < 256; first++) {
    const starting = needles.filter(({ bytes, fold }) => bytes[0] === fold[first]);
    const afterEscape = AFTER_ESCAPE[String.fromCharCode(first)];
    if (starting.length === 0 && !afterEscape) continue;
    for (let second = 0; second < 256; second++) {
      const mayFollow =
        afterEscape?.test(String.fromCharCode(second)) ||
        starting.some(
          ({ bytes, fold }) =>
            bytes.length === 1 || bytes[1] === fold[second] || startsEscape(second),
        );
      if (mayFollow) table[((first << 5) ^ second) & 0xfff] = 1;
    }
  }
  return table;
}
