/** Check digits of Korean identity numbers, which distinguish personal numbers from company numbers of the same shape. */

const RESIDENT_WEIGHTS = [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5];
const COMPANY_WEIGHTS = [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2];

/** Whether 13 digits are a resident registration number with a check digit, as all numbers before October 2020 have. */
export function isResidentNumber(digits: string): boolean {
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
export function mayBeResidentNumber(digits: string, together: boolean): boolean {
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
export function isCompanyNumber(digits: string): boolean {
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
