import fc from 'fast-check';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';

/** Personal data and secrets, in their usual form and in disguise, for tests of masking. */

const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`));
const sum = (text: string, weights: readonly number[]): number =>
  weights.reduce((total, weight, at) => total + weight * Number(text[at]), 0);

/** The groups in which a number is usually written. */
type Groups = readonly string[];

const isoDate = fc
  .date({ min: new Date('1930-01-01'), max: new Date('2026-11-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const centuryDigit = (year: string, isForeign: boolean, isFemale: boolean): number =>
  (year.startsWith('20') ? 3 : 1) + Number(isFemale) + (isForeign ? 4 : 0);

const residentHead = fc
  .tuple(isoDate, fc.boolean(), fc.boolean())
  .map(([date, isForeign, isFemale]) => ({
    birth: date.slice(2).replaceAll('-', ''),
    kind: centuryDigit(date, isForeign, isFemale),
  }));

/** Issued before October 2020: with a check digit. */
export const oldResidentNumber = fc.tuple(residentHead, digits(5)).map(([head, serial]): Groups => {
  const twelve = `${head.birth}${head.kind}${serial}`;
  const base = head.kind >= 5 ? 13 : 11;
  const check = (base - (sum(twelve, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11)) % 10;
  return [head.birth, `${twelve.slice(6)}${check}`];
});

const isCompanyNumber = (text: string): boolean =>
  (10 - (sum(text, [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2]) % 10)) % 10 === Number(text[12]);

/** Issued since October 2020: without a check digit. */
export const newResidentNumber = fc
  .tuple(
    fc.date({ min: new Date('2020-10-05'), max: new Date('2026-11-01'), noInvalidDate: true }),
    fc.constantFrom('3', '4', '7', '8'),
    digits(6),
  )
  .map(([date, kind, serial]): Groups => {
    const birth = date.toISOString().slice(2, 10).replaceAll('-', '');
    return [birth, `${kind}${serial}`];
  })
  .filter(([birth = '', rest = '']) => !isCompanyNumber(birth + rest));

export const mobileNumber = fc
  .tuple(fc.constantFrom('010', '070', '0502', '0507'), digits(4), digits(4))
  .map((groups): Groups => groups);

/** Always written with separators: without them, many codes look the same. */
export const landlineNumber = fc
  .tuple(
    fc.constantFrom('02', '031', '032', '033', '042', '051', '055', '062', '064', '011', '017'),
    fc.integer({ min: 200, max: 9999 }).map(String),
    digits(4),
  )
  .map((groups): Groups => groups);

export const cardNumber = fc
  .tuple(fc.constantFrom('4', '51', '55', '2221', '9410', '62'), digits(15))
  .map(([issuer, rest]): Groups => {
    const head = (issuer + rest).slice(0, 15);
    const odd = [...head].reduce((total, digit, at) => {
      const doubled = Number(digit) * (at % 2 === 0 ? 2 : 1);
      return total + (doubled > 9 ? doubled - 9 : doubled);
    }, 0);
    return (head + String((10 - (odd % 10)) % 10)).match(/.{4}/g) ?? [];
  });

/** Without addresses that look like an escape sequence. */
export const mailAddress = fc.oneof(
  fc.emailAddress().filter((address) => !/[%&]/.test(address)),
  fc
    .tuple(fc.stringMatching(/^[a-z]{2,8} [a-z]{2,8}$/), fc.domain())
    .map(([name, domain]) => `"${name}"@${domain}`),
);

const word = (length: number) => fc.stringMatching(new RegExp(`^[0-9A-Za-z]{${length}}$`));
const upper = fc.stringMatching(/^[0-9A-Z]{16}$/);

export const token = fc.oneof(
  word(36).map((text) => `ghp_${text}`),
  word(36).map((text) => `gho_${text}`),
  word(60).map((text) => `github_pat_${text}`),
  word(48).map((text) => `sk-${text}`),
  word(48).map((text) => `sk-proj-${text}`),
  word(24).map((text) => `sk_live_${text}`),
  word(24).map((text) => `rk_live_${text}`),
  upper.map((text) => `AKIA${text}`),
  upper.map((text) => `ASIA${text}`),
  word(40).map((text) => `xoxb-${text}`),
  word(40).map((text) => `xoxp-${text}`),
  word(35).map((text) => `AIza${text}`),
  word(60).map((text) => `ya29.${text}`),
  word(20).map((text) => `glpat-${text}`),
  word(36).map((text) => `npm_${text}`),
  word(34).map((text) => `hf_${text}`),
  word(40).map((text) => `eyJhbGciOiJIUzI1NiJ9.${text}`),
  word(40).map((text) => `-----BEGIN RSA PRIVATE KEY-----\n${text}\n-----END RSA PRIVATE KEY-----`),
  fc.constant(null).map(newApiKeyText),
);

const INVISIBLE = [
  '',
  '',
  '',
  '\u200b',
  '\u200d',
  '\u00ad',
  '\u2060',
  '\ufeff',
  '\u180e',
  '\ufe0f',
];
const SEPARATORS = [
  ...[
    '',
    '-',
    ' ',
    '.',
    '/',
    '_',
    '·',
    '‐',
    '–',
    '—',
    '−',
    '－',
    '．',
    '／',
    '＿',
    '\u3000',
    '\u00a0',
  ],
  ...['・', 'ㆍ', '•', ' - ', '--', ') ', '~', '\t', '\n', '*', '|', ':', '+'],
];
/** Zero in several scripts: ASCII, Arabic, Persian, Devanagari, Thai, full-width, mathematical bold and monospace. */
const ZEROS = [0x30, 0x30, 0x660, 0x6f0, 0x966, 0xe50, 0xff10, 0x1d7ce, 0x1d7f6];

const inScript = (text: string, zero: number): string =>
  text.replace(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit)));
const fullWidth = (text: string): string =>
  text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0));

const ESCAPES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text,
  encodeURIComponent,
  (text) => encodeURIComponent(encodeURIComponent(text)),
  (text) => encodeURIComponent(text).replaceAll('%20', '+'),
  (text) => text.replace(/[^0-9A-Za-z]/g, (sign) => `&#${sign.codePointAt(0)};`),
  (text) => text.replace(/[@.-]/g, (sign) => `&#x${sign.charCodeAt(0).toString(16)};`),
  (text) => text.replace(/[@0-9-]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
];
const escaping = fc.constantFrom(...ESCAPES);

/** Inserts an invisible character, or nothing, after each character. */
const withInvisible = (text: string, signs: readonly string[]): string =>
  [...text].map((sign, at) => sign + (signs[at % signs.length] ?? '')).join('');
const invisible = fc.array(fc.constantFrom(...INVISIBLE), { minLength: 1, maxLength: 7 });

/** The number in other digits, with other separators, invisible characters and escape sequences. */
export const disguisedNumber = (number: fc.Arbitrary<Groups>, separators = SEPARATORS) =>
  fc
    .tuple(
      number,
      fc.array(fc.constantFrom(...separators), { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...ZEROS),
      invisible,
      escaping,
    )
    .map(([groups, gaps, zero, signs, escaped]) => {
      const joined = groups.map((group, at) => (at > 0 ? gaps[at % gaps.length] : '') + group);
      const text = escaped(withInvisible(inScript(joined.join(''), zero), signs));
      return { plain: groups.join(''), text };
    });

export const SEPARATED = SEPARATORS.filter((separator) => separator !== '');

/** The text in full width, with invisible characters and escape sequences. */
export const disguisedText = (secret: fc.Arbitrary<string>) =>
  fc
    .tuple(
      secret,
      fc.constantFrom((text: string) => text, fullWidth),
      invisible,
      escaping,
    )
    .map(([plain, width, signs, escaped]) => ({
      plain,
      text: escaped(withInvisible(width(plain), signs)),
    }));

/** Places the text among arguments without personal data. */
export const somewhere = fc
  .tuple(
    fc.stringMatching(/^([가-힣]{1,6} ){0,2}$/),
    fc.stringMatching(/^( [가-힣a-z]{1,6}){0,2}$/),
    fc.constantFrom(
      (text: string): Record<string, unknown> => ({ q: text }),
      (text: string) => ({ list: ['a', { deep: [[text]] }], page: 1 }),
      (text: string) => ({ outer: { [text]: 1 } }),
      (text: string) => ({ [text]: 'name' }),
      (text: string) => ({ date: '20261121', b: { c: text } }),
    ),
  )
  .map(
    ([before, after, put]) =>
      (text: string) =>
        put(`${before}${text}${after}`),
  );

/** Undoes every disguise: decodes escapes, converts to ASCII where possible, removes invisible characters. */
export function unveil(text: string): string {
  let plain = text;
  for (let round = 0; round < 3; round++) {
    plain = plain
      .replace(/\\+u([0-9a-f]{4})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
      .replace(/&#x([0-9a-f]+);/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
      .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
      .replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
        Buffer.from(bytes.replaceAll('%', ''), 'hex').toString(),
      );
  }
  for (const zero of ZEROS) {
    for (let digit = 0; digit < 10; digit++) {
      plain = plain.replaceAll(String.fromCodePoint(zero + digit), String(digit));
    }
  }
  return plain.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
}

/** Whether seven consecutive digits of a number, or a whole text, can still be read in what was stored. */
export function reveals(kept: string, plain: string): boolean {
  const unveiled = unveil(kept);
  if (!/^\d+$/.test(plain)) return unveiled.includes(plain);
  const read = unveiled.replace(/\D/g, '');
  return Array.from({ length: plain.length - 6 }, (_, at) => plain.slice(at, at + 7)).some((part) =>
    read.includes(part),
  );
}
