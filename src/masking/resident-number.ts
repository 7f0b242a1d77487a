/** Check digits of Korean identity numbers: what tells a person's number from a company's of the same look. */

const RESIDENT_WEIGHTS = [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5];
const COMPANY_WEIGHTS = [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2];

/**
 * Whether 13 digits are a resident registration number: a birth date, a digit for century and sex, and a check digit.
 * Numbers given out since October 2020 have no check digit; for them the usual hyphen has to stand in.
 */
export function isResidentNumber(digits: string, hyphenated: boolean): boolean {
  if (!hasBirthDate(digits)) return false;
  // Foreign residents, 5 to 8, have the check digit two higher.
  const base = Number(digits.charAt(6)) >= 5 ? 13 : 11;
  const check = (base - (weigh(digits, RESIDENT_WEIGHTS) % 11)) % 10;
  return check === Number(digits.charAt(12)) || (hyphenated && !isCompanyNumber(digits));
}

/** Legal forms that a company's number may name in its fifth and sixth digit, of those that are also days of a month. */
const LEGAL_FORMS: ReadonlySet<string> = new Set(['11', '12', '13', '14', '15', '21', '22', '31']);

/** Whether 13 digits are a corporate registration number: register, legal form, serial number, check digit. */
export function isCompanyNumber(digits: string): boolean {
  const check = (10 - (weigh(digits, COMPANY_WEIGHTS) % 10)) % 10;
  return LEGAL_FORMS.has(digits.slice(4, 6)) && check === Number(digits.charAt(12));
}

/** Digits YYMMDD and one from 1 to 8, which gives the century: 1, 2, 5, 6 for 19YY and 3, 4, 7, 8 for 20YY. */
function hasBirthDate(digits: string): boolean {
  const kind = Number(digits.charAt(6));
  if (kind < 1 || kind > 8) return false;
  const year = ([3, 4, 7, 8].includes(kind) ? 2000 : 1900) + Number(digits.slice(0, 2));
  const month = Number(digits.slice(2, 4));
  const day = Number(digits.slice(4, 6));
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

const weigh = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, index) => sum + weight * Number(digits.charAt(index)), 0);
