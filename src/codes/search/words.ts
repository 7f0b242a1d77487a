import { provinceAliases } from './province-names.ts';
import { romanise } from './romanise.ts';

/** A way to write a word, and its beginning without the suffix that people leave out, or an empty string. */
export interface Spelling {
  readonly text: string;
  readonly bare: string;
}

const SEPARATORS = /[\s,;:()[\]{}/~|]+/;
const HANGUL = /^[\d]*\p{Script=Hangul}/u;
/** The suffix of an area after a name of at least two syllables. */
const AREA_SUFFIX =
  /(?<=\p{Script=Hangul}.)(?:통합특별시|특별자치시|특별자치도|광역시|특별시|[시군구읍면동리도])$/u;
const PRINTED_SUFFIX =
  /(?<=.)(?:통합특별시|특별자치시|특별자치도|광역시|특별시|[시군구읍면동리도])$/u;
const LATIN_AREA_SUFFIX = /(?<=[a-z]{3})(?:si|gun|gu|do|eup|myeon|dong|ri)$/;
const PLURAL = /(?<=[a-z]{3})(?:es|s)$/;

/** Words without meaning in a name, in English and Korean. */
const STOP_WORDS = new Set(
  'a an and as at by for in including not of on or other than the to whether with 및 의 등'.split(
    ' ',
  ),
);

/**
 * The words of a text in lower case, without punctuation and without words that mean nothing by themselves. "제" of
 * numbered areas is left out: 독산제2동 is also written 독산2동.
 */
export function wordsOf(text: string): string[] {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/제(?=\d)/g, '')
    .split(SEPARATORS)
    .map((word) => word.replace(/[^\p{L}\p{N}]/gu, ''))
    .filter((word) => word !== '' && !STOP_WORDS.has(word));
}

export const isHangul = (word: string): boolean => HANGUL.test(word);

/** A word that was typed, with the suffix that the tables may leave out. */
export function spellingOf(word: string): Spelling {
  const suffix = isHangul(word) ? AREA_SUFFIX : LATIN_AREA_SUFFIX;
  const bare = word.replace(suffix, '');
  return { text: word, bare: bare === word ? withoutPlural(word) : bare };
}

function withoutPlural(word: string): string {
  const bare = word.replace(PLURAL, '');
  return bare === word ? '' : bare;
}

/** All spellings by which a word of a table is found: as written, romanised, and other names of a province. */
export function spellingsOf(word: string): Spelling[] {
  if (!isHangul(word)) return [{ text: word, bare: withoutPlural(word) }];
  const stem = word.replace(AREA_SUFFIX, '');
  const bare = stem === word ? '' : stem;
  const own = [{ text: word, bare }, romanised(stem, word.slice(stem.length))];
  const aliases = provinceAliases(word).map((alias) => ({ text: alias, bare: '' }));
  return [...own, ...aliases];
}

/** Sounds of the stem and of its suffix are not assimilated: 운전리 is Unjeon-ri. */
const romanised = (stem: string, suffix: string): Spelling => ({
  text: romanise(stem) + romanise(suffix),
  bare: suffix === '' ? '' : romanise(stem),
});

/** A Korean name in the Revised Romanisation as it is printed; the suffix of an area is set off: Gangnam-gu. */
export const printRomanised = (name: string, isArea: boolean): string =>
  name.replace(/\p{Script=Hangul}[\p{Script=Hangul}\d]*/gu, (word) => {
    const stem = isArea ? word.replace(PRINTED_SUFFIX, '') : word;
    const suffix = word.slice(stem.length);
    const text = romanise(stem) + (suffix === '' ? '' : `-${romanise(suffix)}`);
    return text.charAt(0).toUpperCase() + text.slice(1);
  });
