import type { ResultOf } from '../../platform/kernel/in-slices.ts';
import { spellingOf, spellingsOf } from './words.ts';

/** How well a typed word matches one of a table: 0 (not at all) to 100. */
export const QUALITY = {
  exact: 100,
  /** The table has a suffix that was not typed. */
  withoutSuffix: 96,
  /** A suffix was typed that the table does not have. */
  withSuffix: 93,
  /** Both have a suffix, but not the same one. */
  otherSuffix: 75,
  confused: 74,
  oneEdit: 68,
  twoEdits: 52,
  contained: 45,
  /** Of a beginning, at least; a longer beginning is better. */
  beginning: 55,
} as const;

const BEGINNING_RANGE = 20;
const hasOtherSuffix = (quality: number): boolean =>
  quality === QUALITY.withSuffix || quality === QUALITY.otherSuffix;
/** From this quality on, the word is the one meant, not a guess. */
export const CERTAIN: number = QUALITY.withSuffix;

/** Short words have no typos: with one edit they are other words. */
const MIN_GUESSED_LETTERS = 4;
const MIN_BEGINNING = 2;
/** Longer words are truncated: no name in the tables has one, and the cost of a typo grows with the length. */
const MAX_LETTERS = 64;
/** Words of one table: their numbers are kept as two bytes. */
const MAX_WORDS = 65_535;

/** Sounds that are spelt either way: Pusan and Busan, ㅐ and ㅔ. The first of each stands for all. */
const CONFUSED = 'gk dt bp jc lr \u1162\u1166 \u1164\u1168 \u116b\u116c\u1170'.split(' ');
/** The e of Gyeongju is left out in Gyongju. */
const SOUNDS: ReadonlyMap<string, string> = new Map([
  ['e', ''],
  ...CONFUSED.flatMap(([first = '', ...others]) => others.map((other) => [other, first] as const)),
]);
const RESPELT = new RegExp(`[${[...SOUNDS.keys()].join('')}]`, 'g');

/** The letters of a word, of Hangul the jamo: so a syllable is two or three letters, and a mistyped vowel is one edit. */
const lettersOf = (word: string): string =>
  word.normalize('NFKD').replace(/\p{M}/gu, '').slice(0, MAX_LETTERS);

const soundsOf = (letters: string): string =>
  letters.replace(RESPELT, (letter) => SOUNDS.get(letter) ?? '');

/** Sounds as a set of 32 bits, which sounds share: two words whose sets differ by a bit are at least one edit apart. */
function soundSet(sounds: string): number {
  let set = 0;
  for (let at = 0; at < sounds.length; at++) set |= 1 << (sounds.charCodeAt(at) % 32);
  return set;
}

export type Vocabulary = ResultOf<typeof createVocabulary>;

/**
 * Makes the distinct words of a table, numbered from 0, with their spellings, sorted, in the letters of `lettersOf`. Yields
 * after every word. Fails beyond 65,535 words.
 */
export function* createVocabulary(words: readonly string[]) {
  if (words.length > MAX_WORDS) throw new RangeError(`More than ${MAX_WORDS} words.`);
  const spellings: { letters: string; bare: number; number: number }[] = [];
  for (const [number, word] of words.entries()) {
    for (const { text, bare } of spellingsOf(word)) {
      const letters = lettersOf(text);
      if (letters !== '') spellings.push({ letters, bare: lettersOf(bare).length, number });
    }
    yield;
  }
  spellings.sort((one, other) =>
    one.letters < other.letters ? -1 : Number(one.letters > other.letters),
  );
  return {
    /** Number of words. */
    size: words.length,
    spellings: spellings.map(({ letters }) => letters),
    /** Length of each spelling without the suffix that people leave out; 0 if it has none. */
    bare: Uint8Array.from(spellings, ({ bare }) => bare),
    /** The word of each spelling. */
    words: Uint16Array.from(spellings, ({ number }) => number),
    /** The sounds of each spelling, as `soundSet` has them. */
    sounds: Uint32Array.from(spellings, ({ letters }) => soundSet(soundsOf(letters))),
  };
}

type Typed = ReturnType<typeof typedWord>;

/** A typed word in letters. */
function typedWord(word: string) {
  const { text, bare } = spellingOf(word);
  const letters = lettersOf(text);
  const sounds = soundsOf(letters);
  return {
    letters,
    sounds,
    soundSet: soundSet(sounds),
    /** Length without its suffix; 0 if it has none. */
    bare: lettersOf(bare).length,
    /** What a typo may cost, in halves of an edit. */
    maxCost: letters.length < 8 ? 2 : 4,
  };
}

/**
 * The quality with which each word of a vocabulary matches a typed one. Typos are looked for only if no word matches
 * with certainty.
 */
export function matchWords(vocabulary: Vocabulary, word: string): Uint8Array {
  const typed = typedWord(word);
  const qualities = new Uint8Array(vocabulary.size);
  let best = 0;
  const rate = (at: number, quality: number): void => {
    const number = vocabulary.words[at] ?? 0;
    if (quality > (qualities[number] ?? 0)) qualities[number] = quality;
    if (quality > best) best = quality;
  };
  for (const { at, quality } of plainMatches(vocabulary, typed)) rate(at, quality);
  // Words that would fit without the suffix are not meant if one fits with it: 광주광역시, not 광주시.
  if (best === QUALITY.exact) return qualities.map((value) => (hasOtherSuffix(value) ? 0 : value));
  if (best < CERTAIN && typed.letters.length >= MIN_GUESSED_LETTERS) {
    for (let at = 0; at < vocabulary.words.length; at++) {
      rate(at, guess(vocabulary, at, typed));
    }
  }
  return qualities;
}

/** Whether a word of a vocabulary matches at least as well as this. */
export const hasWord = (vocabulary: Vocabulary, word: string, least = CERTAIN): boolean =>
  plainMatches(vocabulary, typedWord(word)).some(({ quality }) => quality >= least);

/** The spellings that match without a guess: they begin like the word without its suffix. */
function* plainMatches(vocabulary: Vocabulary, typed: Typed) {
  const { spellings } = vocabulary;
  const beginning = typed.letters.slice(0, typed.bare || undefined);
  if (beginning === '') return;
  const first = firstFrom(spellings.length, (at) => (spellings[at] ?? '') < beginning);
  for (let at = first; spellings[at]?.startsWith(beginning); at++) {
    const quality = matchPlainly(spellings[at] ?? '', vocabulary.bare[at] ?? 0, typed);
    if (quality > 0) yield { at, quality };
  }
}

/** The first of `length` numbers from 0 that is not before a place; those before it come first. */
export function firstFrom(length: number, isBefore: (number: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function matchPlainly(letters: string, bare: number, typed: Typed): number {
  const { length } = typed.letters;
  const isBeginning = letters.startsWith(typed.letters);
  if (isBeginning && length === letters.length) return QUALITY.exact;
  if (isBeginning && length === bare) return QUALITY.withoutSuffix;
  if (typed.bare > 0 && typed.bare === letters.length) return QUALITY.withSuffix;
  if (typed.bare > 0 && typed.bare === bare) return QUALITY.otherSuffix;
  if (!isBeginning || length < MIN_BEGINNING || isWithinSyllable(letters, length)) return 0;
  return Math.round(QUALITY.beginning + (BEGINNING_RANGE * length) / letters.length);
}

/** A typo of a spelling, with or without its suffix, or a part of it. */
function guess({ spellings, bare, sounds }: Vocabulary, at: number, typed: Typed): number {
  const letters = spellings[at] ?? '';
  if (2 * bitsIn(typed.soundSet & ~(sounds[at] ?? 0)) <= typed.maxCost) {
    const stem = letters.slice(0, bare[at]);
    const misspelt = Math.max(
      guessTypo(letters, typed),
      stem === '' ? 0 : guessTypo(stem, typed) - 1,
    );
    if (misspelt > 0) return misspelt;
  }
  const start = letters.indexOf(typed.letters, 1);
  const isPart = start > 0 && !isWithinSyllable(letters, start + typed.letters.length);
  return isPart ? QUALITY.contained : 0;
}

function bitsIn(set: number): number {
  let bits = 0;
  for (let rest = set; rest !== 0; rest &= rest - 1) bits++;
  return bits;
}

/** Edits are counted among letters and again among sounds, so that a confused letter costs half as much as another. */
function guessTypo(letters: string, typed: Typed): number {
  const { maxCost } = typed;
  if (Math.abs(letters.length - typed.letters.length) > maxCost) return 0;
  const inSounds = editsBetween(typed.sounds, soundsOf(letters), maxCost / 2);
  const cost = inSounds + editsBetween(typed.letters, letters, maxCost - inSounds);
  if (cost > maxCost) return 0;
  if (cost < 2) return QUALITY.confused;
  return cost < 4 ? QUALITY.oneEdit : QUALITY.twoEdits;
}

/** The fewest letters more, fewer or other, and swaps of neighbours, between two texts; Infinity beyond `most`. */
function editsBetween(one: string, other: string, most: number): number {
  for (let edits = 0; edits <= most; edits++) if (areWithin(one, other, edits)) return edits;
  return Infinity;
}

function areWithin(one: string, other: string, edits: number): boolean {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  const [rest, otherRest] = [one.slice(same), other.slice(same)];
  if (rest === '' || otherRest === '') return rest.length + otherRest.length <= edits;
  if (edits === 0 || Math.abs(rest.length - otherRest.length) > edits) return false;
  const [next, otherNext] = [rest.slice(1), otherRest.slice(1)];
  const isSwap = rest[0] === otherNext[0] && next[0] === otherRest[0];
  return (
    areWithin(next, otherNext, edits - 1) ||
    areWithin(next, otherRest, edits - 1) ||
    areWithin(rest, otherNext, edits - 1) ||
    (isSwap && areWithin(next.slice(1), otherNext.slice(1), edits - 1))
  );
}

/** Whether a position is before a vowel or a final consonant of Hangul, where a word cannot be cut. */
const isWithinSyllable = (letters: string, at: number): boolean =>
  letters.charCodeAt(at) >= 0x1161 && letters.charCodeAt(at) <= 0x11ff;
