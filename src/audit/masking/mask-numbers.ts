import { isCardNumber } from './card-number.ts';
import { isPhoneNumber } from './phone-number.ts';
import type { NameMeaning } from './property-names.ts';
import { isCompanyNumber, isResidentNumber, mayBeResidentNumber } from './resident-number.ts';
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
