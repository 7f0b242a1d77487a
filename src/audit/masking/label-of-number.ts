import { hasCardIssuer } from './card-number.ts';
import { maskNumbers } from './mask-numbers.ts';
import type { NameMeaning } from './property-names.ts';
import { isResidentNumber } from './resident-number.ts';

/** The smallest number that there is a rule for has ten digits. */
const MIN_NUMBER = 1e9;
/** Where numbers are no longer written in digits only. */
const MAX_NUMBER = 1e21;

/** What stands for a number that is a person's or a card's; undefined for every other. */
export function labelOfNumber(value: number, meaning: NameMeaning): string | undefined {
  if (value < MIN_NUMBER && value > -MIN_NUMBER) return undefined;
  const amount = Math.abs(value);
  return Number.isInteger(value) && amount < MAX_NUMBER ? labelOf(amount, meaning) : undefined;
}

function labelOf(value: number, meaning: NameMeaning): string | undefined {
  const digits = String(value);
  const masked = maskNumbers(digits, meaning);
  if (masked !== digits) return masked;
  // The last digits are lost beyond 2^53, and the check digit with them.
  if (!Number.isSafeInteger(value) && hasCardIssuer(digits)) return '[masked:card-number]';
  // Zeros in front are lost: of 010, and of who was born from 2000 to 2009.
  if (/^10\d{8}$/.test(digits) && meaning !== 'code') return '[masked:phone]';
  return digits.length < 13 && isResidentNumber(digits.padStart(13, '0'))
    ? '[masked:resident-number]'
    : undefined;
}
