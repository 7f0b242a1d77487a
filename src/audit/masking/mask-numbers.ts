import { isCardNumber } from './card-number.ts';
import { isPhoneNumber } from './phone-number.ts';
import type { NameMeaning } from './property-names.ts';
import { isCompanyNumber, isResidentNumber, mayBeResidentNumber } from './resident-number.ts';
import { MAX_GAP } from './suspicion.ts';

/** Groups of digits with what may stand between the groups of one number. Linear: a gap is bounded and has no digit. */
const GAP = `(?:[^\\p{L}\\p{N},;\\[\\]]|[\\u3161\\u318d\\u30fc]){1,${MAX_GAP}}`;
const RUN = new RegExp(`\\+?[0-9]+(?:${GAP}[0-9]+)*`, 'gu');
/** An international number begins with its sign. */
const GROUP = /\+?\d+/g;
/** Digits of the longest number that there is a rule for, a card's. */
const MAX_DIGITS = 19;
const MIN_DIGITS = 9;
const MIN_CARD_DIGITS = 14;
/** 0082 and the eleven digits behind the nought. */
const MAX_PHONE_DIGITS = 15;
const PHONE_START = /^(?:0[1-7]|82|0082)/;
/** Of a telephone, a card and a resident number, and of a licence's region with the year after it. */
const BEGINNING =
  /^(?:0[1-7]|82|0082|[2-69]|1\d|\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[1-8])/;
const DIGITS_ONLY = /^\d+$/;

/** Date and rest, with the parts of the date or the century's digit apart. */
const RESIDENT_GROUPS = /^(?:13|(?:6|2-2-2)-(?:7|1-6)|apart)$/;
/** Other groups are more often lists of codes. */
const CARD_GROUPS = /^(?:1[4-9]|(?:(?:4|8|12)-){1,4}(?:[1-8]|12)|4-6-[45]|apart)$/;
/** Region, year, serial number and check digits. */
const LICENCE_GROUPS = '2-2-6-2';
const LICENCE_REGION = /^(?:1[1-9]|2[0-8])/;

/** Resident, card, telephone and driving licence numbers in a folded text, replaced by `[masked:...]`. */
export function maskNumbers(text: string, meaning: NameMeaning): string {
  if (DIGITS_ONLY.test(text)) return labelOf(text, String(text.length), false, meaning) ?? text;
  return text.replace(RUN, (run) => (run.length < MIN_DIGITS ? run : maskRun(run, meaning)));
}

interface Group {
  /** With its sign, if it has one. */
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

/** The longest number that begins with this group. */
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
    if (!BEGINNING.test(digits)) break;
    const label = labelOf(digits, isApart ? 'apart' : grouping, plus, meaning);
    if (label) found = { label, last, end: start + text.length };
  }
  return found;
}

const isFraction = (run: string, start: number): boolean =>
  start > 1 && /\d\./.test(run.slice(start - 2, start));

/** What the digits are; `grouping` is the lengths of their groups, or `apart` where no two digits stand together. */
function labelOf(
  digits: string,
  grouping: string,
  plus: boolean,
  meaning: NameMeaning,
): string | undefined {
  const { length } = digits;
  if (length === 13 && RESIDENT_GROUPS.test(grouping) && isPersons(digits, grouping, meaning)) {
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

/** What a property's name says about a number outweighs a look that is common, but not a check digit that is right. */
function isPersons(digits: string, grouping: string, meaning: NameMeaning): boolean {
  if (meaning === 'company' && isCompanyNumber(digits)) return false;
  if (isResidentNumber(digits)) return true;
  return meaning !== 'code' && mayBeResidentNumber(digits, grouping === '13');
}
