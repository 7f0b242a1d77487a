import { createVocabularyBuilder, type Vocabulary, type VocabularyBuilder } from './vocabulary.ts';
import { wordsOf } from './words.ts';

/** One name of a row. */
export interface RowName {
  /** What is named; its words are compared first. */
  readonly own: string;
  /** What it belongs to, or what else is said of it. */
  readonly parents: readonly string[];
  /** Ranks the row after equally good ones with a lower value: 0 to 20. */
  readonly rank: number;
}

/** The names of the rows of a table: name `n` belongs to row `rows[n]` and has words from `starts[n]` to `starts[n + 1]`. */
export interface NameIndex {
  readonly vocabulary: Vocabulary;
  readonly rows: Uint16Array;
  readonly starts: Uint32Array;
  readonly words: Uint16Array;
  /** Number of words of each name that are its own; they come first. */
  readonly own: Uint8Array;
  readonly rank: Uint8Array;
}

/** Own words of one name, and words of what it belongs to; no table has more. */
const MAX_OWN_WORDS = 30;
const MAX_PARENT_WORDS = 60;

/** Indexes the names of the rows of a table, numbered from 0. */
export function indexNames(names: Iterable<{ row: number; name: RowName }>): NameIndex {
  const vocabulary = createVocabularyBuilder();
  const numbersOf = numberWords(vocabulary);
  const rows: number[] = [];
  const starts: number[] = [0];
  const words: number[] = [];
  const own: number[] = [];
  const rank: number[] = [];
  for (const { row, name } of names) {
    const ownWords = numbersOf(name.own).slice(0, MAX_OWN_WORDS);
    words.push(...ownWords, ...name.parents.flatMap(numbersOf).slice(0, MAX_PARENT_WORDS));
    rows.push(row);
    starts.push(words.length);
    own.push(ownWords.length);
    rank.push(name.rank);
  }
  return {
    vocabulary: vocabulary.build(),
    rows: Uint16Array.from(rows),
    starts: Uint32Array.from(starts),
    words: Uint16Array.from(words),
    own: Uint8Array.from(own),
    rank: Uint8Array.from(rank),
  };
}

/** The numbers of the words of a text, kept because many rows belong to the same area. */
function numberWords(vocabulary: VocabularyBuilder): (text: string) => number[] {
  const known = new Map<string, number[]>();
  return (text) => {
    const numbers = known.get(text) ?? wordsOf(text).map((word) => vocabulary.add(word));
    known.set(text, numbers);
    return numbers;
  };
}
