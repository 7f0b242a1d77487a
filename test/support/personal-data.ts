import fc from 'fast-check';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';

/** Personal data and secrets as people write them, for tests of masking. */

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
  });

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

export interface Sample {
  readonly plain: string;
  readonly text: string;
}

/** The number with usual separators, as it is or percent-encoded. */
export const written = (
  number: fc.Arbitrary<Groups>,
  separators: readonly string[] = ['', '-', ' ', '.'],
): fc.Arbitrary<Sample> =>
  fc.tuple(number, fc.constantFrom(...separators), fc.boolean()).map(([groups, gap, isEncoded]) => {
    const text = groups.join(gap);
    return { plain: groups.join(''), text: isEncoded ? encodeURIComponent(text) : text };
  });

/** The text, as it is or percent-encoded. */
export const encoded = (secret: fc.Arbitrary<string>): fc.Arbitrary<Sample> =>
  fc
    .tuple(secret, fc.boolean())
    .map(([plain, isEncoded]) => ({ plain, text: isEncoded ? encodeURIComponent(plain) : plain }));

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

/** Whether seven consecutive digits of a number, or a whole text, can still be read in what was stored. */
export function reveals(kept: string, plain: string): boolean {
  const decoded = kept.replace(/%[0-7][0-9a-f]/gi, decodeURIComponent);
  if (!/^\d+$/.test(plain)) return decoded.includes(plain);
  const read = decoded.replace(/\D/g, '');
  return Array.from({ length: plain.length - 6 }, (_, at) => plain.slice(at, at + 7)).some((part) =>
    read.includes(part),
  );
}
