import { isCardNumber } from './card-number.ts';
import { isSecretName } from './property-names.ts';
import { isCompanyNumber, isResidentNumber } from './resident-number.ts';

/** Replaces what was found, or gives it back untouched. */
interface Rule {
  readonly pattern: RegExp;
  readonly replace: (found: string, ...groups: string[]) => string;
}

/** What may not be in the middle of a longer number or decimal fraction. */
const START = '(?<!\\d|\\d\\.)';
const END = '(?!\\d)';
const HYPHENS = '\\-\\u2010-\\u2015\\u2212';
/** Between the groups of a telephone number. */
const GAP = `[ .${HYPHENS}]`;

const digitsOf = (text: string): string => text.replace(/\D/g, '');

/** No pattern may take more than linear time: what it is tried on comes from callers. */
const RULES: readonly Rule[] = [
  { pattern: /tg_live_[0-9A-Za-z]+/g, replace: () => '[masked:api-key]' },
  { pattern: /[\w.-]+/g, replace: maskJwt },
  {
    pattern: /\b(bearer)\s+([\w.~+/=-]{8,})/gi,
    replace: (found, scheme, token) => (isPlainWord(token) ? found : `${scheme} [masked:token]`),
  },
  {
    pattern: /\b(basic)\s+([\w+/-]{6,}={0,2})/gi,
    replace: (found, scheme, token) =>
      Buffer.from(token, 'base64').includes(':') ? `${scheme} [masked:token]` : found,
  },
  {
    pattern: /(?<![\w-])([\w-]{1,64})=(?!\[masked)([^&\s#]+)/g,
    replace: (found, name) => (isSecretName(name) ? `${name}=[masked:secret]` : found),
  },
  {
    pattern:
      /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.)+[\p{L}\p{N}-]{2,63}/gu,
    replace: () => '[masked:email]',
  },
  {
    pattern: new RegExp(`${START}(\\d{6})([ ${HYPHENS}]?)(\\d{7})${END}`, 'g'),
    replace: (found, birth, gap, rest) =>
      isResidentNumber(birth + rest, gap.trim() !== '') ? '[masked:resident-number]' : found,
  },
  {
    // Together, or 4-4-4-4 and a rest, 4-6-5 and 4-6-4: other groups are more often lists of codes.
    pattern: new RegExp(
      `${START}(?:\\d{15,19}|\\d{4}([- ])\\d{4}\\1\\d{4}\\1\\d{4}(?:\\1?\\d{1,3})?|\\d{4}([- ])\\d{6}\\2\\d{4,5})${END}`,
      'g',
    ),
    replace: (found) => (isCardNumber(digitsOf(found)) ? '[masked:card-number]' : found),
  },
  {
    // Numbers of before 2004 (011, 016 to 019) look like many a code when written together.
    pattern: new RegExp(
      `${START}(?:\\+?82${GAP}?(?:\\(0\\)|0)?|0)(?:10${GAP}?\\d{4}${GAP}?\\d{4}|1[16-9]${GAP}\\d{3,4}${GAP}\\d{4})${END}`,
      'g',
    ),
    replace: () => '[masked:phone]',
  },
];

/** A JSON Web Token: words joined by dots, of which the first is JSON in base64. */
function maskJwt(words: string): string {
  const start = words.indexOf('eyJ');
  return start >= 0 && words.includes('.', start)
    ? `${words.slice(0, start)}[masked:token]`
    : words;
}

/** "Bearer securities" is no credential. */
const isPlainWord = (text: string): boolean => /^[A-Z]?[a-z]{1,19}$/.test(text);

/**
 * Nearly every argument is cleared by this one look: without an at sign, a long run of digits and separators, or one
 * of a few words, no rule can apply.
 */
const SUSPICIOUS = new RegExp(`@|\\d[\\d .()${HYPHENS}]{8,}\\d|tg_live_|eyJ|bearer|basic|=`, 'i');

/** Text with keys, tokens, e-mail addresses, resident, card and mobile phone numbers replaced. */
export function maskText(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  return RULES.reduce((masked, { pattern, replace }) => masked.replace(pattern, replace), text);
}

/** The same for the value of a property that holds a company's number, which may also look like a person's. */
export function maskCompanyNumber(text: string): string {
  const digits = text.replace('-', '');
  return /^\d{13}$/.test(digits) && isCompanyNumber(digits) ? text : maskText(text);
}
