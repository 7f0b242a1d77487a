import { hasCardIssuer } from './card-number.ts';
import { maskNumbers } from './mask-numbers.ts';
import type { NameMeaning } from './property-names.ts';
import { isResidentNumber } from './resident-number.ts';

/** The shortest number that a rule covers has ten digits. */
const MIN_NUMBER = 1e9;
/** From here on, JavaScript prints numbers with an exponent. */
const MAX_NUMBER = 1e21;

/** The label that replaces a number of a person or of a card; undefined for any other number. */
export function labelOfNumber(value: number, meaning: NameMeaning): string | undefined {
  if (value < MIN_NUMBER && value > -MIN_NUMBER) return undefined;
  const amount = Math.abs(value);
  return Number.isInteger(value) && amount < MAX_NUMBER ? labelOf(amount, meaning) : undefined;
}

function labelOf(value: number, meaning: NameMeaning): string | undefined {
  const digits = String(value);
  const masked = maskNumbers(digits, meaning);
  if (masked !== digits) return masked;
  // Beyond 2^53 the last digits are lost, including the check digit.
  if (!Number.isSafeInteger(value) && hasCardIssuer(digits)) return '[masked:card-number]';
  // Leading zeros are lost: that of 010, and those of birth dates from 2000 to 2009.
  if (/^10\d{8}$/.test(digits) && meaning !== 'code') return '[masked:phone]';
  return digits.length < 13 && isResidentNumber(digits.padStart(13, '0'))
    ? '[masked:resident-number]'
    : undefined;
}
