import { CERTAIN, matchWords } from './match-words.ts';
import type { NameIndex } from './name-index.ts';
import { splitQuery } from './split-query.ts';

/** A row that fits a text. */
export interface Match {
  readonly row: number;
  /** Best first; comparable only within one search. */
  readonly score: number;
  /** Whether every word of the text is certain, and one of them is of the row's own name. */
  readonly certain: boolean;
}

/** A word of what a row belongs to counts less than one of its own name. */
const PARENT_SHARE = 0.35;
const MISSING_WORD = -40;
/** For a name all of whose words were typed. */
const WHOLE_NAME = 20;
/** For a match of the first word of a name. */
const FIRST_WORD = 8;
/** Matches that are much worse than the best one are noise. */
const MIN_SHARE_OF_BEST = 0.5;

/** The rows whose names fit a text, best first; rows that fit equally well in the order of the table. */
export function searchNames(index: NameIndex, text: string): Match[] {
  const qualities = splitQuery(index.vocabulary, text).map((word) =>
    matchWords(index.vocabulary, word),
  );
  if (qualities.length === 0) return [];
  const touched = unite(qualities);
  const best = new Map<number, Match>();
  for (let name = 0; name < index.rows.length; name++) {
    if (!hasTouched(index, name, touched)) continue;
    const match = matchName(index, name, qualities);
    if (match && match.score > (best.get(match.row)?.score ?? 0)) best.set(match.row, match);
  }
  const matches = [...best.values()].sort(
    (one, other) => other.score - one.score || one.row - other.row,
  );
  const least = (matches[0]?.score ?? 0) * MIN_SHARE_OF_BEST;
  return matches.filter(({ score }) => score >= least);
}

/** The words of the vocabulary that match any word of the query. */
function unite(qualities: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array(), ...others] = qualities;
  const touched = first.slice();
  for (const quality of others) {
    for (let word = 0; word < touched.length; word++) touched[word] ||= quality[word] ?? 0;
  }
  return touched;
}

function hasTouched({ starts, words }: NameIndex, name: number, touched: Uint8Array): boolean {
  const end = starts[name + 1] ?? 0;
  for (let at = starts[name] ?? 0; at < end; at++) if (touched[words[at] ?? 0]) return true;
  return false;
}

/** The best match of one typed word among the words of a name. */
interface WordMatch {
  own: number;
  /** Position of the own word that matches best. */
  ownAt: number;
  parent: number;
}

function matchName(index: NameIndex, name: number, qualities: readonly Uint8Array[]): Match | null {
  const matches = claimWords(qualities.map((quality) => matchWord(index, name, quality)));
  const missing = matches.filter(({ own, parent }) => own === 0 && parent === 0).length;
  const ownMatches = matches.filter(({ own, parent }) => own > 0 && own >= parent * PARENT_SHARE);
  if (missing * 2 > matches.length || (missing > 0 && ownMatches.length === 0)) return null;
  const sum = matches.reduce(
    (total, { own, parent }) => total + Math.max(own, parent * PARENT_SHARE),
    missing * MISSING_WORD,
  );
  const score = sum + nameBonus(ownMatches, index.own[name] ?? 0) - (index.rank[name] ?? 0);
  const certain =
    ownMatches.length > 0 && matches.every(({ own, parent }) => Math.max(own, parent) >= CERTAIN);
  return { row: index.rows[name] ?? 0, score, certain };
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
