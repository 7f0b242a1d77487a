/** Check digits of Korean identity numbers: what tells a person's number from a company's of the same look. */

const RESIDENT_WEIGHTS = [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5];
const COMPANY_WEIGHTS = [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2];

/** Whether 13 digits are a resident registration number with its check digit, as all are from before October 2020. */
export function isResidentNumber(digits: string): boolean {
  if (!hasBirthDate(digits, LAST_YEAR_OF_CENTURY)) return false;
  // Foreign residents, 5 to 8, have the check digit two higher.
  const base = Number(digits.charAt(6)) >= 5 ? 13 : 11;
  const check = (base - (weigh(digits, RESIDENT_WEIGHTS) % 11)) % 10;
  return check === Number(digits.charAt(12));
}

const LAST_YEAR_OF_CENTURY = 2099;
/** Nobody was born later who is registered while this software lives. */
const LAST_BIRTH_YEAR = 2049;

/**
 * Whether 13 digits can be a resident registration number given out since October 2020: the digits behind birth date
 * and century mean nothing any more. One number of 13 digits in forty-five looks like that, so what is surely something
 * else is left out: company numbers, and where the digits stand together Korean barcodes and milliseconds of 2020 to
 * 2030.
 */
export function mayBeResidentNumber(digits: string, together: boolean): boolean {
  if (!hasBirthDate(digits, LAST_BIRTH_YEAR) || isCompanyNumber(digits)) return false;
  return !together || !(/^1[678]/.test(digits) || isKoreanBarcode(digits));
}

/** GS1 General Specifications, section 7.9: weights of one and three; 880 is Korea's prefix. */
const BARCODE_WEIGHTS = [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1];

const isKoreanBarcode = (digits: string): boolean =>
  digits.startsWith('880') && weigh(digits, BARCODE_WEIGHTS) % 10 === 0;

/** Legal forms that a company's number may name in its fifth and sixth digit, of those that are also days of a month. */
const LEGAL_FORMS: ReadonlySet<string> = new Set(['11', '12', '13', '14', '15', '21', '22', '31']);

/** Whether 13 digits are a corporate registration number: register, legal form, serial number, check digit. */
export function isCompanyNumber(digits: string): boolean {
  const check = (10 - (weigh(digits, COMPANY_WEIGHTS) % 10)) % 10;
  return LEGAL_FORMS.has(digits.slice(4, 6)) && check === Number(digits.charAt(12));
}

/** Digits YYMMDD and one from 1 to 8, which gives the century: 1, 2, 5, 6 for 19YY and 3, 4, 7, 8 for 20YY. */
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
