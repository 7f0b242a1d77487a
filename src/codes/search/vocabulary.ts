import { encodeLetters } from './encode-word.ts';
import { letterSet } from './letter-costs.ts';
import { spellingsOf } from './words.ts';

/** Words of one table: their numbers are kept as two bytes. */
const MAX_WORDS = 65_535;

/** The distinct words of a table with their spellings, packed into a few arrays; spellings are sorted by their bytes. */
export interface Vocabulary {
  /** Number of words. */
  readonly size: number;
  /** All spellings, one after the other. */
  readonly bytes: Uint8Array;
  /** Where each spelling starts in `bytes`, and after the last one its end. */
  readonly starts: Uint32Array;
  /** Length of each spelling without the suffix that people leave out; 0 if it has none. */
  readonly bare: Uint8Array;
  /** The word of each spelling. */
  readonly words: Uint16Array;
  /** The letters of each spelling, as `letterSet` has them. */
  readonly letters: Uint32Array;
}

export interface VocabularyBuilder {
  /** The number of a word, new or known. Fails beyond 65,535 words. */
  add(word: string): number;
  build(): Vocabulary;
}

/** Collects the words of a table. */
export function createVocabularyBuilder(): VocabularyBuilder {
  const numbers = new Map<string, number>();
  return {
    add(word) {
      const known = numbers.get(word);
      if (known !== undefined) return known;
      if (numbers.size >= MAX_WORDS) throw new RangeError(`More than ${MAX_WORDS} words.`);
      numbers.set(word, numbers.size);
      return numbers.size - 1;
    },
    build: () => pack([...numbers.keys()]),
  };
}

/** A spelling as `encodeLetters` writes it. */
interface EncodedSpelling {
  readonly letters: string;
  readonly bare: number;
  readonly word: number;
}

function pack(words: readonly string[]): Vocabulary {
  const spellings = words
    .flatMap(encodeSpellings)
    .filter(({ letters }) => letters !== '')
    .sort((one, other) => (one.letters < other.letters ? -1 : Number(one.letters > other.letters)));
  const bytes = Buffer.from(spellings.map(({ letters }) => letters).join(''), 'latin1');
  const starts = new Uint32Array(spellings.length + 1);
  for (const [index, { letters }] of spellings.entries()) {
    starts[index + 1] = (starts[index] ?? 0) + letters.length;
  }
  return {
    size: words.length,
    bytes,
    starts,
    bare: Uint8Array.from(spellings, ({ bare }) => bare),
    words: Uint16Array.from(spellings, ({ word }) => word),
    letters: Uint32Array.from(spellings, (_, index) =>
      letterSet(bytes.subarray(starts[index], starts[index + 1])),
    ),
  };
}

const encodeSpellings = (word: string, number: number): EncodedSpelling[] =>
  spellingsOf(word).map(({ text, bare }) => ({
    letters: encodeLetters(text),
    bare: encodeLetters(bare).length,
    word: number,
  }));

/** The spellings that begin with these bytes: from the first number up to the second one. */
export function spellingsWith(vocabulary: Vocabulary, beginning: Uint8Array): [number, number] {
  return [firstNotBefore(vocabulary, beginning, 0), firstNotBefore(vocabulary, beginning, 1)];
}

/** The first spelling whose beginning does not sort before `beginning`; after it, if `after` is 1. */
function firstNotBefore(vocabulary: Vocabulary, beginning: Uint8Array, after: 0 | 1): number {
  let low = 0;
  let high = vocabulary.words.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareBeginning(vocabulary, middle, beginning) < after) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compareBeginning(vocabulary: Vocabulary, key: number, beginning: Uint8Array): number {
  const start = vocabulary.starts[key] ?? 0;
  const end = Math.min(vocabulary.starts[key + 1] ?? 0, start + beginning.length);
  return Buffer.compare(vocabulary.bytes.subarray(start, end), beginning);
}
