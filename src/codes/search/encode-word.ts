/**
 * Words are compared as bytes, one for each Latin letter, digit or Hangul jamo, so that one syllable is two or three
 * bytes and a mistyped vowel is one edit. Other letters have no byte.
 */
const INITIALS = { first: 0x1100, last: 0x1112, code: 0x80 } as const;
const VOWELS = { first: 0x1161, last: 0x1175, code: 0xa0 } as const;
const FINALS = { first: 0x11a8, last: 0x11c2, code: 0xc0 } as const;
/** Signs of ASCII that are neither letters nor digits. */
const OTHERS = /[\0-/:-`{-\x7f]/g;

/** Longer words are truncated: no name in the tables has one, and the cost of a typo grows with the length. */
const MAX_BYTES = 64;

function byteOf(unit: number): number {
  if (unit < 0x80) return unit;
  if (unit >= INITIALS.first && unit <= INITIALS.last) return INITIALS.code + unit - INITIALS.first;
  if (unit >= VOWELS.first && unit <= VOWELS.last) return VOWELS.code + unit - VOWELS.first;
  if (unit >= FINALS.first && unit <= FINALS.last) return FINALS.code + unit - FINALS.first;
  return 0;
}

/** The bytes of a word in lower case, as a string with one character for each. */
export function encodeLetters(word: string): string {
  let letters = '';
  for (const letter of word.normalize('NFKD').replace(OTHERS, '')) {
    const byte = byteOf(letter.charCodeAt(0));
    if (byte > 0) letters += String.fromCharCode(byte);
  }
  return letters.slice(0, MAX_BYTES);
}

/** The bytes of a word in lower case. */
export const encodeWord = (word: string): Uint8Array => Buffer.from(encodeLetters(word), 'latin1');

/** Whether a byte continues a syllable: a word cannot be cut before it. */
export const continuesSyllable = (byte: number): boolean => byte >= VOWELS.code;
