import { beginsEscape, isBackslashRun, readCharacter } from './escaped-character.ts';
import { matchNeedle, NONE } from './match-needle.ts';
import type { Needle } from './secret-needle.ts';

/** Finds needles in bytes, in one pass. */
export interface SecretMatcher {
  /** Where the first needle begins between `from` and `limit`, or `NONE`. */
  find(bytes: Uint8Array, from: number, limit: number): number;
  /** Does a needle begin at `at`? */
  matchAt(bytes: Uint8Array, at: number, limit: number): boolean;
  /** Where ends what was found last. */
  end(): number;
}

/** Prepares the search; no needle is empty. */
export function createSecretMatcher(needles: readonly Needle[]): SecretMatcher {
  const shortest = Math.min(...needles.map(({ bytes }) => bytes.length));
  const inside = insideTable(needles);
  const pairs = pairTable(needles);
  const byFirst = byFirstByte(needles);
  const beginsBeyondAscii = needles.filter(({ bytes }) => (bytes[0] ?? 0) >= 0x80);
  const beginsWithEscape = needles.some(({ bytes }) => beginsEscape(bytes[0] ?? 0));
  let end = NONE;

  function candidates(bytes: Uint8Array, at: number, limit: number): readonly Needle[] {
    const byte = bytes[at] ?? 0;
    if (!beginsEscape(byte)) return byFirst[byte] ?? [];
    if (beginsWithEscape) return needles;
    if (isBackslashRun(bytes, at)) return [];
    const character = readCharacter(bytes, at, limit);
    return character < 0 ? beginsBeyondAscii : (byFirst[character] ?? []);
  }

  /** `end` is where the longest of several ends. */
  function matchAt(bytes: Uint8Array, at: number, limit: number): boolean {
    end = NONE;
    for (const needle of candidates(bytes, at, limit)) {
      end = Math.max(end, matchNeedle(needle, bytes, at, limit));
    }
    return end !== NONE;
  }

  function findInRun(bytes: Uint8Array, from: number, limit: number): number {
    const last = limit - shortest;
    let byte = bytes[from] ?? 0;
    for (let at = from; at <= last; at++) {
      const next = at + 1 < limit ? (bytes[at + 1] ?? 0) : 0;
      if (pairs[((byte << 5) ^ next) & 0xfff] === 1 && matchAt(bytes, at, limit)) return at;
      byte = next;
    }
    return NONE;
  }

  return {
    /**
     * Each character of a secret takes a byte or more, so that an occurrence is a run of as many bytes as the shortest
     * needle has, all of which may stand within one. In most answers a look at every so many bytes finds none.
     */
    find(bytes, from, limit) {
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
        const found = findInRun(bytes, at, runEnd);
        if (found !== NONE) return found;
        at = runEnd + 1;
      }
      return NONE;
    },
    matchAt,
    end: () => end,
  };
}

/** Beside letters and digits: what escapes are written with, and the padding of base64. */
const OF_ESCAPES = Buffer.from('\\%&#;=');

const isAlphanumeric = (byte: number): boolean => /[0-9A-Za-z]/.test(String.fromCharCode(byte));

/** 1 for every byte that may stand within a needle, escaped or not. */
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

/** What may follow the character that begins an escape. */
const AFTER_ESCAPE: Readonly<Record<string, RegExp>> = {
  '%': /[0-9A-Fa-f\\&]/,
  '&': /[#A-Za-z\\%]/,
  '\\': /[\\"'/uxnrtbf&%]/,
};

/**
 * 1 for every two bytes that a needle may begin with, escaped or not, as the search numbers them; some others have the
 * same number. Of a needle of one character, whatever follows it.
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
            bytes.length === 1 || bytes[1] === fold[second] || beginsEscape(second),
        );
      if (mayFollow) table[((first << 5) ^ second) & 0xfff] = 1;
    }
  }
  return table;
}
