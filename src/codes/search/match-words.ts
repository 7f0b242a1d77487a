import { editCost } from './edit-distance.ts';
import { continuesSyllable, encodeWord } from './encode-word.ts';
import { EDIT_COST, letterSet } from './letter-costs.ts';
import { spellingsWith, type Vocabulary } from './vocabulary.ts';
import { spellingOf } from './words.ts';

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
/** From this quality on, the word is the one meant, not a guess. */
export const CERTAIN: number = QUALITY.withSuffix;

const MIN_CONTAINED_LETTERS = 4;
const MIN_BEGINNING = 2;

/** A typed word as bytes. */
interface Typed {
  readonly bytes: Uint8Array;
  /** Length without its suffix; 0 if it has none. */
  readonly bare: number;
  readonly letters: number;
  /** What the edits of a typo may cost. */
  readonly allowed: number;
}

function typedWord(word: string): Typed {
  const { text, bare } = spellingOf(word);
  const bytes = encodeWord(text);
  return {
    bytes,
    bare: encodeWord(bare).length,
    letters: letterSet(bytes),
    allowed: allowedCost(bytes.length),
  };
}

/** Short words have no typos: with one edit they are other words. */
function allowedCost(length: number): number {
  if (length < 4) return 0;
  return length < 8 ? EDIT_COST : 2 * EDIT_COST;
}

/**
 * The quality with which each word of a vocabulary matches a typed one. Typos are looked for only if no word matches
 * with certainty.
 */
export function matchWords(vocabulary: Vocabulary, word: string): Uint8Array {
  const typed = typedWord(word);
  const qualities = new Uint8Array(vocabulary.size);
  if (typed.bytes.length === 0) return qualities;
  const best = rate(vocabulary, qualities, {
    range: plainRange(vocabulary, typed),
    quality: (key) => matchPlainly(vocabulary, key, typed),
  });
  if (best === QUALITY.exact) return dropOtherSuffixes(qualities);
  if (best < CERTAIN) {
    rate(vocabulary, qualities, {
      range: [0, vocabulary.words.length],
      quality: (key) => guess(vocabulary, key, typed),
    });
  }
  return qualities;
}

/** Words that would fit without the suffix that was typed are not meant if one fits with it: 광주광역시, not 광주시. */
function dropOtherSuffixes(qualities: Uint8Array): Uint8Array {
  return qualities.map((quality) =>
    quality === QUALITY.withSuffix || quality === QUALITY.otherSuffix ? 0 : quality,
  );
}

/** Whether a word of a vocabulary matches at least as well as this. */
export function hasWord(vocabulary: Vocabulary, word: string, quality = CERTAIN): boolean {
  const typed = typedWord(word);
  if (typed.bytes.length === 0) return false;
  const [first, end] = plainRange(vocabulary, typed);
  for (let key = first; key < end; key++) {
    if (matchPlainly(vocabulary, key, typed) >= quality) return true;
  }
  return false;
}

/** The spellings that can match without a guess: those that begin like the word without its suffix. */
const plainRange = (vocabulary: Vocabulary, { bytes, bare }: Typed): [number, number] =>
  spellingsWith(vocabulary, bare > 0 ? bytes.subarray(0, bare) : bytes);

/** Keeps the best quality of the spellings of each word. */
function rate(
  vocabulary: Vocabulary,
  qualities: Uint8Array,
  {
    range: [first, end],
    quality,
  }: { readonly range: readonly [number, number]; readonly quality: (key: number) => number },
): number {
  let best = 0;
  for (let key = first; key < end; key++) {
    const value = quality(key);
    if (value === 0) continue;
    const word = vocabulary.words[key] ?? 0;
    if (value > (qualities[word] ?? 0)) qualities[word] = value;
    if (value > best) best = value;
  }
  return best;
}

function matchPlainly(vocabulary: Vocabulary, key: number, typed: Typed): number {
  const { bytes, bare } = typed;
  const start = vocabulary.starts[key] ?? 0;
  const length = wholeLength(vocabulary, key);
  const keyBare = vocabulary.bare[key] ?? 0;
  const same = sameLength(vocabulary.bytes, start, length, bytes);
  if (same === bytes.length) {
    if (same === length) return QUALITY.exact;
    if (same === keyBare) return QUALITY.withoutSuffix;
  }
  if (bare > 0 && same >= bare) {
    if (bare === length) return QUALITY.withSuffix;
    if (bare === keyBare) return QUALITY.otherSuffix;
  }
  if (same < Math.max(bytes.length, MIN_BEGINNING)) return 0;
  return matchBeginning(vocabulary, start + same, same / length);
}

function matchBeginning(vocabulary: Vocabulary, next: number, share: number): number {
  const cutsSyllable = continuesSyllable(vocabulary.bytes[next] ?? 0);
  return cutsSyllable ? 0 : Math.round(QUALITY.beginning + BEGINNING_RANGE * share);
}

/** Number of bytes that two words have in common at their beginning. */
function sameLength(bytes: Uint8Array, start: number, length: number, word: Uint8Array): number {
  const end = Math.min(length, word.length);
  let same = 0;
  while (same < end && bytes[start + same] === word[same]) same++;
  return same;
}

/** A typo of a spelling, with or without its suffix, or a part of it. */
function guess(vocabulary: Vocabulary, key: number, typed: Typed): number {
  const start = vocabulary.starts[key] ?? 0;
  const length = wholeLength(vocabulary, key);
  const keyBare = vocabulary.bare[key] ?? 0;
  const misspelt = Math.max(
    guessTypo(vocabulary, key, typed, length),
    keyBare > 0 ? guessTypo(vocabulary, key, typed, keyBare) - 1 : 0,
  );
  if (misspelt > 0) return misspelt;
  return contains(vocabulary.bytes, start, length, typed.bytes) ? QUALITY.contained : 0;
}

function guessTypo(vocabulary: Vocabulary, key: number, typed: Typed, length: number): number {
  const { bytes, letters, allowed } = typed;
  if (allowed === 0 || Math.abs(length - bytes.length) > allowed) return 0;
  const keyLetters = vocabulary.letters[key] ?? 0;
  if (countBits(letters & ~keyLetters) * EDIT_COST > allowed) return 0;
  if (length === wholeLength(vocabulary, key)) {
    if (countBits(keyLetters & ~letters) * EDIT_COST > allowed) return 0;
  }
  const start = vocabulary.starts[key] ?? 0;
  const cost = editCost(bytes, { bytes: vocabulary.bytes, start, length }, allowed);
  if (cost > allowed) return 0;
  if (cost < EDIT_COST) return QUALITY.confused;
  return cost < 2 * EDIT_COST ? QUALITY.oneEdit : QUALITY.twoEdits;
}

const wholeLength = ({ starts }: Vocabulary, key: number): number =>
  (starts[key + 1] ?? 0) - (starts[key] ?? 0);

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits >>> 0; rest !== 0; rest &= rest - 1) count++;
  return count;
}

function contains(bytes: Uint8Array, start: number, length: number, word: Uint8Array): boolean {
  if (word.length < MIN_CONTAINED_LETTERS) return false;
  for (let at = 1; at + word.length <= length; at++) {
    if (bytes[start + at] !== word[0]) continue;
    if (sameLength(bytes, start + at, length - at, word) < word.length) continue;
    const next = at + word.length < length ? (bytes[start + at + word.length] ?? 0) : 0;
    if (!continuesSyllable(next)) return true;
  }
  return false;
}
