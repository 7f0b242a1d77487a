/** Letters of the Revised Romanisation, in the order in which Unicode lists the jamo. */
const INITIALS = 'g kk n d tt r m b pp s ss - j jj ch k t p h'.split(' ');
const VOWELS = 'a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i'.split(' ');
/** Of a final consonant before a vowel, which takes it over. */
const LINKED = '- g kk ks n nj n d r lg lm lb ls lt lp r m b ps s ss ng j ch k t p -'.split(' ');
/** Of a final consonant before another consonant and at the end of a word. */
const CLOSED = '- k k k n n n t l k m l l l p l m p p t t ng t t k t p t'.split(' ');

const INITIAL = { N: 2, R: 5, M: 6, NONE: 11, G: 0, D: 3, J: 12 } as const;
const FINAL_H = 27;
/** Before n, m and r, a stop becomes the nasal of its place. */
const NASALS: Readonly<Record<string, string>> = { k: 'ng', t: 'n', p: 'm' };
/** After a final h, a plain stop is aspirated. */
const ASPIRATES: Readonly<Record<number, string>> = {
  [INITIAL.G]: 'k',
  [INITIAL.D]: 't',
  [INITIAL.J]: 'ch',
};

const FIRST_SYLLABLE = 0xac00;
const SYLLABLES = 11_172;

interface Syllable {
  readonly initial: number;
  readonly vowel: number;
  readonly final: number;
}

function toSyllable(letter: string): Syllable | null {
  const index = letter.charCodeAt(0) - FIRST_SYLLABLE;
  if (index < 0 || index >= SYLLABLES) return null;
  return {
    initial: Math.floor(index / 588),
    vowel: Math.floor((index % 588) / 28),
    final: index % 28,
  };
}

const letters = (list: readonly string[], index: number): string => {
  const text = list[index] ?? '';
  return text === '-' ? '' : text;
};

/** What stands between the vowels of two syllables: the final of the first and the initial of the second. */
function join(final: number, initial: number): string {
  if (initial === INITIAL.NONE) return letters(LINKED, final);
  const closed = letters(CLOSED, final);
  const opening = letters(INITIALS, initial);
  if (final === FINAL_H) return ASPIRATES[initial] ?? opening;
  if (initial === INITIAL.R) return joinBeforeR(closed);
  if (initial === INITIAL.N && closed === 'l') return 'll';
  if (initial === INITIAL.N || initial === INITIAL.M) return (NASALS[closed] ?? closed) + opening;
  return closed + opening;
}

function joinBeforeR(closed: string): string {
  if (closed === '') return 'r';
  if (closed === 'n' || closed === 'l') return 'll';
  return `${NASALS[closed] ?? closed}n`;
}

/**
 * The Revised Romanisation of a Korean word in lower case, by the rules for names: assimilation is written, except
 * before an h, and tensed sounds are not. Letters other than Hangul stay.
 */
export function romanise(word: string): string {
  let text = '';
  let before: Syllable | null = null;
  for (const letter of word.normalize('NFC')) {
    const syllable = toSyllable(letter);
    if (syllable) {
      text += before ? join(before.final, syllable.initial) : letters(INITIALS, syllable.initial);
      text += letters(VOWELS, syllable.vowel);
    } else {
      text += `${before ? letters(CLOSED, before.final) : ''}${letter.toLowerCase()}`;
    }
    before = syllable;
  }
  return before ? text + letters(CLOSED, before.final) : text;
}
