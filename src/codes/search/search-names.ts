import type { ResultOf } from '../../platform/kernel/in-slices.ts';
import {
  CERTAIN,
  createVocabulary,
  hasWord,
  matchWords,
  QUALITY,
  type Vocabulary,
} from './vocabulary.ts';
import { isHangul, wordsOf } from './words.ts';

/** One name of a row. */
export interface RowName {
  /** What is named; its words are compared first. */
  readonly own: string;
  /** What it belongs to, or what else is said of it. */
  readonly parents: readonly string[];
  /** Ranks the row after equally good ones with a lower value: 0 to 20. */
  readonly rank: number;
}

/** A row that fits a text. */
export interface Match {
  readonly row: number;
  /** Best first; comparable only within one search. */
  readonly score: number;
  /** Whether every word of the text is certain, and one of them is of the row's own name. */
  readonly certain: boolean;
}

/** Own words of one name, and words of what it belongs to; no table has more. */
const MAX_OWN_WORDS = 30;
const MAX_PARENT_WORDS = 60;

/** Words of a query that count; the others are left out. */
const MAX_WORDS = 8;
/** Longer words are not taken apart: the cost grows with the square of the length. */
const MAX_SPLIT_LENGTH = 24;
const MIN_PIECE = { hangul: 2, latin: 3 } as const;

/** Words that say what is asked for rather than name it. */
const GENERIC = new Set(
  (
    'area borough city code codes county district downtown forecast korea metropolitan near observatory ' +
    'prefecture province region republic self-governing special station town village weather ' +
    '관측소 관측지점 기상 날씨 대한민국 동네 번호 어디 위치 정보 지역 지점 측정소 코드 한국'
  ).split(' '),
);

/** A word of what a row belongs to counts less than one of its own name. */
const PARENT_SHARE = 0.35;
const MISSING_WORD = -40;
/** For a name all of whose words were typed. */
const WHOLE_NAME = 20;
/** For a match of the first word of a name. */
const FIRST_WORD = 8;
/** Matches that are much worse than the best one are noise. */
const MIN_SHARE_OF_BEST = 0.5;

export type NameIndex = ResultOf<typeof indexNames>;

/** Indexes the names of the rows of a table, numbered from 0. Yields after every name. */
export function* indexNames(names: Iterable<{ row: number; name: RowName }>) {
  const numbers = new Map<string, number>();
  const numberOf = (word: string): number => {
    const number = numbers.get(word) ?? numbers.size;
    numbers.set(word, number);
    return number;
  };
  /** Kept because many rows belong to the same area. */
  const known = new Map<string, number[]>();
  const numbersOf = (text: string): number[] => {
    const found = known.get(text) ?? wordsOf(text).map(numberOf);
    known.set(text, found);
    return found;
  };
  const rows: number[] = [];
  const starts = [0];
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
    yield;
  }
  return {
    vocabulary: yield* createVocabulary([...numbers.keys()]),
    /** Name `n` belongs to row `rows[n]` and has words from `starts[n]` to `starts[n + 1]`. */
    rows: Uint32Array.from(rows),
    starts: Uint32Array.from(starts),
    words: Uint16Array.from(words),
    /** Number of words of each name that are its own; they come first. */
    own: Uint8Array.from(own),
    rank: Uint8Array.from(rank),
  };
}

/** The rows whose names fit a text, best first; rows that fit equally well in the order of the table. */
export function searchNames(index: NameIndex, text: string): Match[] {
  const qualities = splitQuery(index.vocabulary, text).map((word) =>
    matchWords(index.vocabulary, word),
  );
  const isTouched = new Uint8Array(index.vocabulary.size);
  for (const quality of qualities) {
    for (let word = 0; word < quality.length; word++) isTouched[word] ||= quality[word] ?? 0;
  }
  const best = new Map<number, Match>();
  for (let name = 0; name < index.rows.length; name++) {
    if (!hasTouched(index, name, isTouched)) continue;
    const match = matchName(index, name, qualities);
    if (match && match.score > (best.get(match.row)?.score ?? 0)) best.set(match.row, match);
  }
  const matches = [...best.values()].sort(
    (one, other) => other.score - one.score || one.row - other.row,
  );
  const least = (matches[0]?.score ?? 0) * MIN_SHARE_OF_BEST;
  return matches.filter(({ score }) => score >= least);
}

function hasTouched({ starts, words }: NameIndex, name: number, isTouched: Uint8Array): boolean {
  const end = starts[name + 1] ?? 0;
  for (let at = starts[name] ?? 0; at < end; at++) if (isTouched[words[at] ?? 0]) return true;
  return false;
}

/** The best match of one typed word among the words of a name. */
interface WordMatch {
  own: number;
  /** Position of the own word that matches best. */
  ownAt: number;
  parent: number;
}

function matchName(
  index: NameIndex,
  name: number,
  qualities: readonly Uint8Array[],
): Match | undefined {
  const ownCount = index.own[name] ?? 0;
  const matches = claimWords(qualities.map((quality) => matchWord(index, name, quality)));
  const missing = matches.filter(({ own, parent }) => own === 0 && parent === 0).length;
  const ownMatches = matches.filter(({ own, parent }) => own > 0 && own >= parent * PARENT_SHARE);
  if (missing * 2 > matches.length || (missing > 0 && ownMatches.length === 0)) return undefined;
  const sum = matches.reduce(
    (total, { own, parent }) => total + Math.max(own, parent * PARENT_SHARE),
    missing * MISSING_WORD,
  );
  return {
    row: index.rows[name] ?? 0,
    score: sum + nameBonus(ownMatches, ownCount) - (index.rank[name] ?? 0),
    certain:
      ownMatches.length > 0 && matches.every(({ own, parent }) => Math.max(own, parent) >= CERTAIN),
  };
}

function matchWord(index: NameIndex, name: number, quality: Uint8Array): WordMatch {
  const start = index.starts[name] ?? 0;
  const end = index.starts[name + 1] ?? 0;
  const ownEnd = start + (index.own[name] ?? 0);
  const match: WordMatch = { own: 0, ownAt: 0, parent: 0 };
  for (let at = start; at < end; at++) {
    const value = quality[index.words[at] ?? 0] ?? 0;
    if (at >= ownEnd) match.parent = Math.max(match.parent, value);
    else if (value > match.own) {
      match.own = value;
      match.ownAt = at - start;
    }
  }
  return match;
}

/**
 * Leaves each own word to the typed word that matches it best: in 담양군 담양읍, only one of them means the county.
 */
function claimWords(matches: readonly WordMatch[]): readonly WordMatch[] {
  if (matches.length === 1) return matches;
  return matches.map((match, at) => {
    const claimed = matches.some(
      ({ own, ownAt }, other) =>
        ownAt === match.ownAt && (own > match.own || (own === match.own && other < at)),
    );
    return claimed ? { ...match, own: 0 } : match;
  });
}

/** What is added for the share of a name's words that were typed, and for the first of them. */
function nameBonus(ownMatches: readonly WordMatch[], ownCount: number): number {
  if (ownMatches.length === 0) return 0;
  const positions = new Set(ownMatches.map(({ ownAt }) => ownAt));
  const first = Math.min(...positions);
  return (positions.size / ownCount) * WHOLE_NAME + (1 - first / ownCount) * FIRST_WORD;
}

/**
 * The words of a query as a table has them: parts of one word that were typed apart are joined (부산 진구), words
 * that were typed together are taken apart (서울강남구), and words that only say what is asked for are left out.
 */
function splitQuery(vocabulary: Vocabulary, text: string): string[] {
  const words = joinParts(vocabulary, [...new Set(wordsOf(text))].slice(0, MAX_WORDS));
  const split = words.flatMap((word) =>
    hasWord(vocabulary, word) ? [word] : (takeApart(vocabulary, word) ?? [word]),
  );
  const named = split.filter((word) => !GENERIC.has(word) || hasWord(vocabulary, word));
  return [...new Set(named.length > 0 ? named : split)].slice(0, MAX_WORDS);
}

function joinParts(vocabulary: Vocabulary, words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const both = `${joined.at(-1) ?? ''}${word}`;
    if (both !== word && hasWord(vocabulary, both)) joined[joined.length - 1] = both;
    else joined.push(word);
  }
  return joined;
}

/** The known words, of the longest possible beginnings, that make up a word. */
function takeApart(vocabulary: Vocabulary, word: string): string[] | undefined {
  if (word.length > MAX_SPLIT_LENGTH) return undefined;
  const shortest = isHangul(word) ? MIN_PIECE.hangul : MIN_PIECE.latin;
  /** The pieces of the rest of the word, by its position. */
  const rests: string[][] = [];
  rests[word.length] = [];
  for (let start = word.length - shortest; start >= 0; start--) {
    for (let end = word.length; end - start >= shortest && !rests[start]; end--) {
      const rest = rests[end];
      const piece = word.slice(start, end);
      if (rest && hasWord(vocabulary, piece, QUALITY.withoutSuffix))
        rests[start] = [piece, ...rest];
    }
  }
  return rests[0];
}
