const RUN = /\p{Script=Hangul}+|[\p{L}--\p{Script=Hangul}]+|\p{N}+/gv;

/** The words of a text in lower case: runs of Hangul, of other letters, or of digits. English ones become singular. */
export function wordsOf(text: string): string[] {
  return (text.normalize('NFKC').toLowerCase().match(RUN) ?? []).map(singular);
}

export const isHangul = (word: string): boolean => /^\p{Script=Hangul}/u.test(word);

export const isLatin = (word: string): boolean => /^\p{Script=Latin}/u.test(word);

function singular(word: string): string {
  if (/[^v]ies$/.test(word) && word.length > 4) return `${word.slice(0, -3)}y`;
  return /..[^aisu]s$/.test(word) ? word.slice(0, -1) : word;
}
