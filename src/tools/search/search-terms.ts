import { conceptsIn } from './search-concepts.ts';
import { isHangul, wordsOf } from './search-words.ts';

/** The terms by which a text is found: its words, the pieces of its Korean words, and its concepts. */
export function termsOf(text: string): string[] {
  const words = wordsOf(text);
  return [...words, ...words.flatMap(piecesOf), ...conceptsIn(words)];
}

/** A piece of a Korean word counts less than the word, because pairs of syllables can match by chance. */
const PIECE_WEIGHT = 0.4;

/** The terms of a query, with their weights. */
export function weighQuery(query: string): Map<string, number> {
  const all = wordsOf(query);
  const significant = all.filter((word) => !STOP_WORDS.has(word));
  // A query of stop words alone is searched as it is.
  const words = significant.length > 0 ? significant : all;
  const weights = new Map<string, number>();
  for (const word of words) {
    for (const piece of piecesOf(word)) weights.set(piece, PIECE_WEIGHT);
  }
  for (const term of [...words, ...conceptsIn(all)]) weights.set(term, 1);
  return weights;
}

/** The pairs of syllables of a Korean word: 미세먼지 has 미세, 세먼 and 먼지. */
function piecesOf(word: string): string[] {
  if (word.length < 3 || !isHangul(word)) return [];
  return Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2));
}

/** Words of questions and requests that do not describe a tool. */
const STOP_WORDS = new Set(
  wordsOf(
    `a about all an and any are at be been by can could do does find for from get give has have how i in is it list many much
    look me my near of on or please search show tell that the there this to tool up was what when where which who
    will with would you 관련 도구 무엇 뭐 얼마 알려줘 어디 어때 언제 조회 찾아줘`,
  ),
);
