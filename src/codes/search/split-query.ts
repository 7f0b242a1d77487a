import { hasWord, QUALITY } from './match-words.ts';
import type { Vocabulary } from './vocabulary.ts';
import { isHangul, wordsOf } from './words.ts';

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

/**
 * The words of a query as a table has them: parts of one word that were typed apart are joined (부산 진구), words
 * that were typed together are taken apart (서울강남구), and words that only say what is asked for are left out.
 */
export function splitQuery(vocabulary: Vocabulary, text: string): string[] {
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

/** The known words, of the longest possible beginnings, that make up a word, or null. */
function takeApart(vocabulary: Vocabulary, word: string): string[] | null {
  if (word.length > MAX_SPLIT_LENGTH) return null;
  const shortest = isHangul(word) ? MIN_PIECE.hangul : MIN_PIECE.latin;
  const isPiece = (piece: string) => hasWord(vocabulary, piece, QUALITY.withoutSuffix);
  const known = new Map<string, string[] | null>();

  const split = (rest: string): string[] | null => {
    const before = known.get(rest);
    if (before !== undefined) return before;
    const pieces = isPiece(rest) ? [rest] : splitFirst(rest);
    known.set(rest, pieces);
    return pieces;
  };
  const splitFirst = (rest: string): string[] | null => {
    for (let end = rest.length - shortest; end >= shortest; end--) {
      if (!isPiece(rest.slice(0, end))) continue;
      const others = split(rest.slice(end));
      if (others) return [rest.slice(0, end), ...others];
    }
    return null;
  };
  return split(word);
}
