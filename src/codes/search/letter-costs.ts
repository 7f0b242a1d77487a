import { encodeWord } from './encode-word.ts';

/** Cost of an edit, in halves: letters that are often confused cost half as much. */
export const EDIT_COST = 2;
const CONFUSED_COST = 1;

/** Groups of sounds that are spelt either way: Pusan and Busan, ㅐ and ㅔ. */
const CONFUSED = ['gk', 'dt', 'bp', 'jc', 'lr', '애에', '얘예', '왜외웨'];

/** The last byte of each letter: of a Hangul syllable that begins with a vowel, the vowel. */
const codesOf = (group: string): number[] =>
  [...group].map((letter) => encodeWord(letter).at(-1) ?? 0);

/** Each byte, or the first one of its group. */
const GROUP = Uint8Array.from({ length: 256 }, (_, byte) => byte);
for (const codes of CONFUSED.map(codesOf)) {
  for (const code of codes) GROUP[code] = codes[0] ?? code;
}

/** The letter that is left out in Gyongju for Gyeongju. */
const SILENT = 0x65;

/** What it costs to read one letter for another. */
export function changeCost(one: number, other: number): number {
  if (one === other) return 0;
  return GROUP[one] === GROUP[other] ? CONFUSED_COST : EDIT_COST;
}

/** What it costs to add or leave out a letter. */
export const gapCost = (letter: number): number => (letter === SILENT ? CONFUSED_COST : EDIT_COST);

/**
 * The letters of a word as a set of 32 bits, which letters share. Two words whose sets differ by a bit are at least
 * one whole edit apart.
 */
export function letterSet(bytes: Uint8Array): number {
  let set = 0;
  for (const byte of bytes) if (byte !== SILENT) set |= 1 << ((GROUP[byte] ?? byte) % 32);
  return set >>> 0;
}
