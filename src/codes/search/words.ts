/** A way to write a word, and its beginning without the suffix that people leave out, or an empty string. */
export interface Spelling {
  readonly text: string;
  readonly bare: string;
}

const SEPARATORS = /[\s,;:()[\]{}/~|]+/;
const HANGUL = /^[\d]*\p{Script=Hangul}/u;
const SUFFIXES = '(?:통합특별시|특별자치시|특별자치도|광역시|특별시|[시군구읍면동리도])$';
/** The suffix of an area after a name of at least two syllables. */
const AREA_SUFFIX = new RegExp(`(?<=\\p{Script=Hangul}.)${SUFFIXES}`, 'u');
const PRINTED_SUFFIX = new RegExp(`(?<=.)${SUFFIXES}`, 'u');
const LATIN_AREA_SUFFIX = /(?<=[a-z]{3})(?:si|gun|gu|do|eup|myeon|dong|ri)$/;
const PLURAL = /(?<=[a-z]{3})(?:es|s)$/;

/** Words without meaning in a name, in English and Korean. */
const STOP_WORDS = new Set(
  'a an and as at by for in including not of on or other than the to whether with 및 의 등'.split(
    ' ',
  ),
);

/** Official names of the provinces, today's and former ones, with the other names that people use. */
const PROVINCES: Readonly<Record<string, string>> = {
  서울특별시: '서울 서울시 seoul',
  부산광역시: '부산 부산시 busan pusan',
  대구광역시: '대구 대구시 daegu taegu',
  인천광역시: '인천 인천시 incheon inchon',
  광주광역시: '광주 gwangju kwangju',
  대전광역시: '대전 대전시 daejeon taejon',
  울산광역시: '울산 울산시 ulsan',
  세종특별자치시: '세종 세종시 sejong',
  경기도: '경기 gyeonggi gyeonggido kyonggi',
  강원특별자치도: '강원 강원도 gangwon gangwondo kangwon',
  강원도: '강원 gangwon gangwondo kangwon',
  충청북도: '충북 chungbuk northchungcheong',
  충청남도: '충남 chungnam southchungcheong',
  전라북도: '전북 jeonbuk northjeolla',
  전북특별자치도: '전북 전라북도 jeonbuk jeonbukdo jeollabukdo northjeolla',
  전북자치도: '전북 전라북도 jeonbuk',
  전라남도: '전남 jeonnam southjeolla',
  전남광주통합특별시: '전남광주 jeonnamgwangju',
  경상북도: '경북 gyeongbuk northgyeongsang',
  경상남도: '경남 gyeongnam southgyeongsang',
  제주특별자치도: '제주 제주도 jeju jejudo cheju',
  제주도: '제주 jeju jejudo cheju',
};

const ALIASES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(PROVINCES).map(([name, aliases]) => [name, aliases.split(' ')]),
);

/** Official names, today's and former ones, of the provinces that a word names. */
export const provincesNamed = (word: string): string[] =>
  [...ALIASES]
    .filter(([name, aliases]) => name === word || aliases.includes(word))
    .map(([name]) => name);

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

/** The beginning of a word before a suffix; empty if it does not have it. */
const before = (suffix: RegExp, word: string): string => {
  const bare = word.replace(suffix, '');
  return bare === word ? '' : bare;
};

/** A word that was typed, with the suffix that the tables may leave out. */
export const spellingOf = (word: string): Spelling => ({
  text: word,
  bare: before(isHangul(word) ? AREA_SUFFIX : LATIN_AREA_SUFFIX, word) || before(PLURAL, word),
});

/** All spellings by which a word of a table is found: as written, romanised, and other names of a province. */
export function spellingsOf(word: string): Spelling[] {
  if (!isHangul(word)) return [{ text: word, bare: before(PLURAL, word) }];
  const bare = before(AREA_SUFFIX, word);
  const stem = bare || word;
  // Sounds of the stem and of its suffix are not assimilated: 운전리 is Unjeon-ri.
  const romanised = romanise(stem) + romanise(word.slice(stem.length));
  const aliases = (ALIASES.get(word) ?? []).map((text) => ({ text, bare: '' }));
  return [{ text: word, bare }, { text: romanised, bare: romanise(bare) }, ...aliases];
}

/** A Korean name in the Revised Romanisation as it is printed; the suffix of an area is set off: Gangnam-gu. */
export const printRomanised = (name: string, isArea: boolean): string =>
  name.replace(/\p{Script=Hangul}[\p{Script=Hangul}\d]*/gu, (word) => {
    const stem = (isArea && before(PRINTED_SUFFIX, word)) || word;
    const suffix = word.slice(stem.length);
    const text = romanise(stem) + (suffix === '' ? '' : `-${romanise(suffix)}`);
    return text.charAt(0).toUpperCase() + text.slice(1);
  });

const lettersIn = (list: string): readonly string[] =>
  list.split(' ').map((letters) => (letters === '-' ? '' : letters));

/** Letters of the Revised Romanisation, in the order in which Unicode lists the jamo. */
const INITIALS = lettersIn('g kk n d tt r m b pp s ss - j jj ch k t p h');
const VOWELS = lettersIn('a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i');
/** Of a final consonant before a vowel, which takes it over. */
const LINKED = lettersIn('- g kk ks n nj n d r lg lm lb ls lt lp r m b ps s ss ng j ch k t p -');
/** Of a final consonant before another consonant and at the end of a word. */
const CLOSED = lettersIn('- k k k n n n t l k m l l l p l m p p t t ng t t k t p t');

const FINAL_H = 27;
/** Before n, m and r, a stop becomes the nasal of its place. */
const NASALS: Readonly<Record<string, string>> = { k: 'ng', t: 'n', p: 'm' };
/** After a final h, a plain stop is aspirated. */
const ASPIRATES: Readonly<Record<string, string>> = { g: 'k', d: 't', j: 'ch' };

const FIRST_SYLLABLE = 0xac00;
const SYLLABLES = 11_172;

/** What stands between the vowels of two syllables: the final of the first and the initial of the second. */
function join(final: number, opening: string): string {
  if (opening === '') return LINKED[final] ?? '';
  const closed = CLOSED[final] ?? '';
  if (final === FINAL_H) return ASPIRATES[opening] ?? opening;
  if (opening === 'r' && closed === '') return 'r';
  if (opening === 'r') return /^[nl]$/.test(closed) ? 'll' : `${NASALS[closed] ?? closed}n`;
  if (opening === 'n' && closed === 'l') return 'll';
  if (opening === 'n' || opening === 'm') return (NASALS[closed] ?? closed) + opening;
  return closed + opening;
}

/**
 * The Revised Romanisation of a Korean word in lower case, by the rules for names: assimilation is written, except
 * before an h, and tensed sounds are not. Letters other than Hangul stay.
 */
export function romanise(word: string): string {
  let text = '';
  /** The final of the syllable before; null after another letter. */
  let final: number | null = null;
  for (const letter of word.normalize('NFC')) {
    const closed: string = final === null ? '' : (CLOSED[final] ?? '');
    const index = letter.charCodeAt(0) - FIRST_SYLLABLE;
    if (index >= 0 && index < SYLLABLES) {
      const opening: string = INITIALS[Math.floor(index / 588)] ?? '';
      text += final === null ? opening : join(final, opening);
      text += VOWELS[Math.floor((index % 588) / 28)] ?? '';
      final = index % 28;
    } else {
      text += closed + letter.toLowerCase();
      final = null;
    }
  }
  return final === null ? text : text + (CLOSED[final] ?? '');
}
