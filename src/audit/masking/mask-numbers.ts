import type { NameMeaning } from './property-names.ts';
import { MAX_GAP } from './suspicion.ts';

/** Groups of digits with the gaps that one number may have. Linear time: a gap is bounded and contains no digit. */
const GAP = `(?:[^\\p{L}\\p{N},;\\[\\]]|[\\u3161\\u318d\\u30fc]){1,${MAX_GAP}}`;
const RUN = new RegExp(`\\+?[0-9]+(?:${GAP}[0-9]+)*`, 'gu');
/** An international number starts with a plus sign. */
const GROUP = /\+?\d+/g;
/** The longest number that a rule covers is a card number. */
const MAX_DIGITS = 19;
const MIN_DIGITS = 9;
const MIN_CARD_DIGITS = 14;
/** 0082, followed by up to eleven digits without the leading zero. */
const MAX_PHONE_DIGITS = 15;
const PHONE_START = /^(?:0[1-7]|82|0082)/;
/** The start of a telephone, card or resident number, or the region and year of a licence. */
const NUMBER_START =
  /^(?:0[1-7]|82|0082|[2-69]|1\d|\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[1-8])/;
const DIGITS_ONLY = /^\d+$/;

/** The birth date and the rest; the parts of the date, or the century digit, may be separate. */
const RESIDENT_GROUPS = /^(?:13|(?:6|2-2-2)-(?:7|1-6)|apart)$/;
/** Other groupings are usually lists of codes. */
const CARD_GROUPS = /^(?:1[4-9]|(?:(?:4|8|12)-){1,4}(?:[1-8]|12)|4-6-[45]|apart)$/;
/** Region, year, serial number and check digits. */
const LICENCE_GROUPS = '2-2-6-2';
const LICENCE_REGION = /^(?:1[1-9]|2[0-8])/;

/** Replaces resident, card, telephone and driving licence numbers in a folded text with `[masked:...]`. */
export function maskNumbers(text: string, meaning: NameMeaning): string {
  if (DIGITS_ONLY.test(text)) return labelOf(text, String(text.length), false, meaning) ?? text;
  return text.replace(RUN, (run) => (run.length < MIN_DIGITS ? run : maskRun(run, meaning)));
}

interface Group {
  /** With its plus sign, if it has one. */
  readonly text: string;
  readonly start: number;
}

function maskRun(run: string, meaning: NameMeaning): string {
  const groups = [...run.matchAll(GROUP)].map(({ 0: text, index: start }) => ({ text, start }));
  let masked = '';
  let copied = 0;
  for (let first = 0; first < groups.length; first++) {
    const found = findNumber(run, groups, first, meaning);
    if (!found) continue;
    masked += run.slice(copied, groups[first]?.start) + found.label;
    copied = found.end;
    first = found.last;
  }
  return masked + run.slice(copied);
}

interface FoundNumber {
  readonly label: string;
  readonly last: number;
  readonly end: number;
}

/** The longest number that starts with this group. */
function findNumber(
  run: string,
  groups: readonly Group[],
  first: number,
  meaning: NameMeaning,
): FoundNumber | undefined {
  const plus = groups[first]?.text.startsWith('+') ?? false;
  let digits = '';
  let grouping = '';
  let isApart = true;
  let found: FoundNumber | undefined;
  for (let last = first; last < groups.length; last++) {
    const { text, start } = groups[last] as Group;
    const part = text.startsWith('+') ? text.slice(1) : text;
    if (digits.length + part.length > MAX_DIGITS) break;
    digits += part;
    isApart &&= part.length === 1;
    grouping += last === first ? part.length : `-${part.length}`;
    if (digits.length < MIN_DIGITS || (last === first && isFraction(run, start))) continue;
    if (!NUMBER_START.test(digits)) break;
    const label = labelOf(digits, isApart ? 'apart' : grouping, plus, meaning);
    if (label) found = { label, last, end: start + text.length };
  }
  return found;
}

const isFraction = (run: string, start: number): boolean =>
  start > 1 && /\d\./.test(run.slice(start - 2, start));

/** The label of a number. `grouping` is the lengths of its groups, or `apart` if every digit is separate. */
function labelOf(
  digits: string,
  grouping: string,
  plus: boolean,
  meaning: NameMeaning,
): string | undefined {
  const { length } = digits;
  if (length === 13 && RESIDENT_GROUPS.test(grouping) && isPersonal(digits, grouping, meaning)) {
    return '[masked:resident-number]';
  }
  if (length >= MIN_CARD_DIGITS && CARD_GROUPS.test(grouping) && isCardNumber(digits)) {
    return '[masked:card-number]';
  }
  if (length <= MAX_PHONE_DIGITS && PHONE_START.test(digits)) {
    return isPhoneNumber(digits, grouping, plus) ? '[masked:phone]' : undefined;
  }
  if (grouping === LICENCE_GROUPS && LICENCE_REGION.test(digits)) return '[masked:licence]';
  return undefined;
}

/** The meaning of a property's name outweighs a common shape of number, but not a correct check digit. */
function isPersonal(digits: string, grouping: string, meaning: NameMeaning): boolean {
  if (meaning === 'company' && isCompanyNumber(digits)) return false;
  if (isResidentNumber(digits)) return true;
  return meaning !== 'code' && mayBeResidentNumber(digits, grouping === '13');
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
export const isCardNumber = (digits: string): boolean => CARD.test(digits) && isLuhn(digits);

function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let fromEnd = 0; fromEnd < digits.length; fromEnd++) {
    const digit = Number(digits.charAt(digits.length - 1 - fromEnd));
    const doubled = fromEnd % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Current mobile numbers, and those of internet telephony and personal redirection (070, 050x). */
const PERSONAL = /^(?:010\d{8}|070\d{8}|050[2-8]\d{7,8})$/;
/** Mobile numbers from before 2004. Without separators they look like many codes. */
const OLD_MOBILE = /^01[16-9]\d{7,8}$/;
const LANDLINE = /^(?:02\d{7,8}|0(?:3[1-3]|4[1-4]|5[1-5]|6[1-4])\d{7,8})$/;
/** Exchange numbers start with 2 to 9. Ten-digit tariff codes that start with an area code continue with 0 or 1. */
const LANDLINE_TOGETHER = /^(?:02[2-9]\d{7}|0(?:3[1-3]|4[1-4]|5[1-5]|6[1-4])[2-9]\d{6,7})$/;
const COUNTRY = /^(?:00)?820?(?=[1-7])/;

const NATIONAL_GROUPS = /^[23]-(?:[34]-4|[78])$/;
const ABROAD_GROUPS = /(?:^|-)(?:4|[7-9]|1\d)$/;

/**
 * Whether digits are a Korean telephone number of a person or household: a mobile, internet or landline number, in
 * national form or after 82. Business numbers (1588, 080) are not personal. `grouping` is the lengths of the groups
 * joined by hyphens, or `apart` if every digit is separate.
 */
function isPhoneNumber(digits: string, grouping: string, plus: boolean): boolean {
  const national = digits.replace(COUNTRY, '0');
  const isAbroad = national !== digits;
  const together = !plus && !/\D/.test(grouping);
  if (PERSONAL.test(national)) {
    if (isAbroad) return !together || national.startsWith('010');
    return grouping === 'apart' || Number.parseInt(grouping, 10) >= prefixOf(national);
  }
  if (together) return !isAbroad && LANDLINE_TOGETHER.test(national);
  if (!OLD_MOBILE.test(national) && !LANDLINE.test(national)) return false;
  return grouping === 'apart' || (isAbroad ? ABROAD_GROUPS : NATIONAL_GROUPS).test(grouping);
}

/** The dates 05-03 2027-05-04 have such digits, but their first group is shorter than a prefix. */
const prefixOf = (national: string): number => (national.startsWith('050') ? 4 : 3);

/** Check digits distinguish the numbers of residents from those of companies, which have the same shape. */
const RESIDENT_WEIGHTS = [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5];
const COMPANY_WEIGHTS = [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2];

/** Whether 13 digits are a resident registration number with a check digit, as all numbers before October 2020 have. */
function isResidentNumber(digits: string): boolean {
  if (!hasBirthDate(digits, LAST_YEAR_OF_CENTURY)) return false;
  // For foreign residents (5 to 8), the check digit is two higher.
  const base = Number(digits.charAt(6)) >= 5 ? 13 : 11;
  const check = (base - (weigh(digits, RESIDENT_WEIGHTS) % 11)) % 10;
  return check === Number(digits.charAt(12));
}

/**
 * Whether a number with a birth date was certainly issued since October 2020. Company numbers of the register offices 2010 to
 * 4912, whose first seven digits look like this, have serial numbers far below three million.
 */
const hasNoCheckDigit = (digits: string): boolean =>
  '3478'.includes(digits.charAt(6)) && digits.slice(0, 6) >= '201001';

const LAST_YEAR_OF_CENTURY = 2099;
/** No later birth date is expected during the lifetime of this software. */
const LAST_BIRTH_YEAR = 2049;

/**
 * Whether 13 digits can be a resident registration number issued since October 2020, whose digits after birth date and
 * century are random. One in forty-five numbers of 13 digits has this shape, so numbers that are something else are excluded:
 * company numbers, unless the birth is from October 2020 on, and, without separators, Korean barcodes and milliseconds from
 * 2020 to 2030.
 */
function mayBeResidentNumber(digits: string, together: boolean): boolean {
  if (!hasBirthDate(digits, LAST_BIRTH_YEAR)) return false;
  if (isCompanyNumber(digits) && !hasNoCheckDigit(digits)) return false;
  return !together || !(/^1[678]/.test(digits) || isKoreanBarcode(digits));
}

/** GS1 General Specifications, section 7.9: weights of one and three. The prefix of Korea is 880. */
const BARCODE_WEIGHTS = [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1];

const isKoreanBarcode = (digits: string): boolean =>
  digits.startsWith('880') && weigh(digits, BARCODE_WEIGHTS) % 10 === 0;

/** The legal forms in the fifth and sixth digit of a company number that are also days of a month. */
const LEGAL_FORMS: ReadonlySet<string> = new Set(['11', '12', '13', '14', '15', '21', '22', '31']);

/** Whether 13 digits are a corporate registration number: register, legal form, serial number, check digit. */
function isCompanyNumber(digits: string): boolean {
  const check = (10 - (weigh(digits, COMPANY_WEIGHTS) % 10)) % 10;
  return LEGAL_FORMS.has(digits.slice(4, 6)) && check === Number(digits.charAt(12));
}

/** Digits YYMMDD, followed by one from 1 to 8 for the century: 1, 2, 5, 6 for 19YY and 3, 4, 7, 8 for 20YY. */
function hasBirthDate(digits: string, lastYear: number): boolean {
  const kind = Number(digits.charAt(6));
  if (kind < 1 || kind > 8) return false;
  const year = ([3, 4, 7, 8].includes(kind) ? 2000 : 1900) + Number(digits.slice(0, 2));
  if (year > lastYear) return false;
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
  // Leading zeros are lost: that of 010, and those of birth dates from 2000 to 2009.
  if (/^10\d{8}$/.test(digits) && meaning !== 'code') return '[masked:phone]';
  return digits.length < 13 && isResidentNumber(digits.padStart(13, '0'))
    ? '[masked:resident-number]'
    : undefined;
}
