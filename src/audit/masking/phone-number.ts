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
export function isPhoneNumber(digits: string, grouping: string, plus: boolean): boolean {
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
