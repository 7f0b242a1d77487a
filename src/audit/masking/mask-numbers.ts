import type { NameMeaning } from './property-names.ts';

/** A kind of number: how it is written, and whether the digits are one. No match is longer than 30 characters. */
interface Rule {
  readonly label: string;
  readonly shape: RegExp;
  readonly holds: (digits: string, meaning: NameMeaning) => boolean;
}

const GAP = '[ .-]';
/** 0, or the code of Korea, after which the 0 is usually left out. */
const TRUNK = `(?:(?:(?:\\+|00)82|82(?=${GAP}|10))${GAP}?(?:\\(0\\)|0)?${GAP}?|0)`;
const AREA = '(?:2|3[1-3]|4[1-4]|5[1-5]|6[1-4])';

/** Korean numbers of people and households. Those of businesses (1588, 080) are not personal. */
const PHONES = [
  // Mobile numbers, and numbers of internet telephony and personal redirection.
  `${TRUNK}(?:[17]0${GAP}?\\d{4}|50[2-8]${GAP}?\\d{3,4})${GAP}?\\d{4}`,
  // Mobile numbers from before 2004, and landlines; without separators, they look like many codes.
  `${TRUNK}(?:1[16-9]|${AREA})(?:${GAP}|\\) ?)\\d{3,4}${GAP}?\\d{4}`,
  // Exchange numbers start with 2 to 9. Ten-digit tariff codes that start with an area code continue with 0 or 1.
  `(?:0|(?:\\+|00)82${GAP}?)${AREA}[2-9]\\d{6,7}`,
];

/** A number that stands alone: no other digit is beside it. */
const alone = (...shapes: readonly string[]): RegExp =>
  new RegExp(`(?<!\\d)(?:${shapes.join('|')})(?!\\d)`, 'g');

const RULES: readonly Rule[] = [
  {
    label: '[masked:resident-number]',
    shape: alone(`\\d{6}${GAP}?\\d{7}`),
    holds: isResidentNumber,
  },
  {
    label: '[masked:card-number]',
    shape: alone(`(?:\\d{4}${GAP}){3}\\d{4,7}`, `\\d{4}${GAP}\\d{6}${GAP}\\d{4,5}`, '\\d{14,19}'),
    holds: isCardNumber,
  },
  { label: '[masked:phone]', shape: alone(...PHONES), holds: () => true },
];

/** Replaces resident, card and telephone numbers with `[masked:...]`. */
export const maskNumbers = (text: string, meaning: NameMeaning): string =>
  RULES.reduce((masked, rule) => maskEach(masked, rule, meaning), text);

/** Linear: after a match that is no such number, the search continues at its next group. */
function maskEach(text: string, { shape, holds, label }: Rule, meaning: NameMeaning): string {
  let masked = '';
  let copied = 0;
  shape.lastIndex = 0;
  for (let found = shape.exec(text); found; found = shape.exec(text)) {
    const { 0: number, index } = found;
    const isFraction =
      /^\d+$/.test(number) && /\d\.$/.test(text.slice(Math.max(0, index - 2), index));
    if (!isFraction && holds(number.replace(/\D/g, ''), meaning)) {
      masked += text.slice(copied, index) + label;
      copied = index + number.length;
    } else shape.lastIndex = index + 1;
  }
  return masked + text.slice(copied);
}

/** Issuer ranges and lengths of payment cards in use (ISO/IEC 7812). */
const CARD = new RegExp(
  `^(?:${[
    '4\\d{15}', // Visa
    '5[1-5]\\d{14}', // Mastercard
    '2(?:22[1-9]|2[3-9]\\d|[3-6]\\d\\d|7[01]\\d|720)\\d{12}', // Mastercard
    '3[47]\\d{13}', // American Express
    '3(?:0[0-5]|[68]\\d)\\d{11}', // Diners Club
    '35(?:2[89]|[3-8]\\d)\\d{12}', // JCB
    '6(?:011|5\\d\\d|4[4-9]\\d)\\d{12}', // Discover
    '62\\d{14,17}', // UnionPay
    '9[0-9]\\d{14}', // Korean domestic cards
  ].join('|')})$`,
);

/** Whether the digits are a payment card number: a known issuer range and a correct Luhn check digit. */
export function isCardNumber(digits: string): boolean {
  return CARD.test(digits) && isLuhn(digits);
}

function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let fromEnd = 0; fromEnd < digits.length; fromEnd++) {
    const digit = Number(digits.charAt(digits.length - 1 - fromEnd));
    const doubled = fromEnd % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

const RESIDENT_WEIGHTS = [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5];
const COMPANY_WEIGHTS = [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2];

/**
 * Whether 13 digits are a resident registration number: a birth date, a digit for the century, and a check digit, which
 * numbers issued since October 2020 do not have. A company number has the same shape where one is expected.
 */
export function isResidentNumber(digits: string, meaning: NameMeaning = 'plain'): boolean {
  if (!hasBirthDate(digits)) return false;
  const company = (10 - (weigh(digits, COMPANY_WEIGHTS) % 10)) % 10;
  const last = Number(digits.charAt(12));
  if (meaning === 'company' && company === last) return false;
  const kind = digits.charAt(6);
  if (meaning !== 'code' && '3478'.includes(kind) && digits >= '201001') return true;
  // For foreign residents (5 to 8), the check digit is two higher.
  const base = kind >= '5' ? 13 : 11;
  return (base - (weigh(digits, RESIDENT_WEIGHTS) % 11)) % 10 === last;
}

/** No later birth date is expected during the lifetime of this software. */
const LAST_BIRTH_YEAR = 2049;

/** Digits YYMMDD, followed by one from 1 to 8 for the century: 1, 2, 5, 6 for 19YY and 3, 4, 7, 8 for 20YY. */
function hasBirthDate(digits: string): boolean {
  const kind = Number(digits.charAt(6));
  if (kind < 1 || kind > 8) return false;
  const year = ([3, 4, 7, 8].includes(kind) ? 2000 : 1900) + Number(digits.slice(0, 2));
  if (year > LAST_BIRTH_YEAR) return false;
  const month = Number(digits.slice(2, 4));
  const day = Number(digits.slice(4, 6));
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

const weigh = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, index) => sum + weight * Number(digits.charAt(index)), 0);

/** The shortest number that a rule covers has ten digits. */
const MIN_NUMBER = 1e9;
/** From here on, JavaScript prints numbers with an exponent. */
const MAX_NUMBER = 1e21;

/** The label that replaces a number of a person or of a card; undefined for any other number. */
export function labelOfNumber(value: number, meaning: NameMeaning): string | undefined {
  const amount = Math.abs(value);
  if (amount < MIN_NUMBER || amount >= MAX_NUMBER || !Number.isInteger(value)) return undefined;
  const digits = String(amount);
  const masked = maskNumbers(digits, meaning);
  if (masked !== digits) return masked;
  // Beyond 2^53 the last digits are lost, including the check digit.
  if (!Number.isSafeInteger(value) && CARD.test(digits)) return '[masked:card-number]';
  // Leading zeros are lost: of 010, and of birth dates from 2000 to 2009.
  if (/^10\d{8}$/.test(digits) && meaning !== 'code') return '[masked:phone]';
  return digits.length < 13 && isResidentNumber(digits.padStart(13, '0'))
    ? '[masked:resident-number]'
    : undefined;
}
