import { CUT_MARK } from '../record/fit-column.ts';
import { labelOfNumber } from './mask-numbers.ts';
import { maskText } from './mask-text.ts';
import { meaningOf, type NameMeaning } from './property-names.ts';

const MASKED_SECRET = '[masked:secret]';
const MASKED_PERSON = '[masked:personal]';
/** What is masked of a text, and of all together: far more than a record holds. */
const MAX_TEXT = 16_384;
const MAX_CHARACTERS = 65_536;
const MAX_DEPTH = 16;
/** As of a mail address with a local part of 64 characters. */
const LONGEST_PART = 64;

interface MaskOptions {
  /** Properties whose whole value is personal, as the definition of the tool declares. */
  readonly personal?: readonly string[];
}

/**
 * The arguments of a call for its audit record, with secrets and personal data replaced by `[masked:...]`. Texts beyond
 * the bounds, and what is nested too deeply, end in the mark of a cut; what follows is dropped. Arguments with nothing
 * to mask are returned unchanged.
 */
export function maskArguments(
  args: Readonly<Record<string, unknown>>,
  { personal = [] }: MaskOptions = {},
): Readonly<Record<string, unknown>> {
  return maskObject(args, { left: MAX_CHARACTERS }, 1, personal);
}

/** Characters that may still be masked. */
interface Size {
  left: number;
}

function maskProperty(name: string, value: unknown, size: Size, depth: number): unknown {
  const meaning = meaningOf(name);
  if (meaning === 'secret' && value !== null) return MASKED_SECRET;
  if (meaning === 'personal' && typeof value !== 'boolean' && value !== null) return MASKED_PERSON;
  return maskValue(value, meaning, size, depth);
}

function maskValue(value: unknown, meaning: NameMeaning, size: Size, depth: number): unknown {
  if (typeof value === 'string') return maskString(value, meaning, size);
  if (typeof value === 'number') {
    size.left -= 8;
    // Card numbers and personal numbers, too.
    return labelOfNumber(value, meaning) ?? value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH || size.left <= 0) return CUT_MARK;
  return Array.isArray(value)
    ? maskArray(value, meaning, size, depth)
    : maskObject(value as Readonly<Record<string, unknown>>, size, depth + 1);
}

function maskString(text: string, meaning: NameMeaning, size: Size): string {
  const length = Math.min(MAX_TEXT, size.left);
  size.left -= text.length;
  if (text.length <= length) return maskText(text, meaning);
  const masked = maskText(text.slice(0, Math.max(length, 0)), meaning);
  // Half a number or address at the end would not have been recognised.
  return masked.slice(0, -LONGEST_PART) + CUT_MARK;
}

function maskArray(
  values: readonly unknown[],
  meaning: NameMeaning,
  size: Size,
  depth: number,
): readonly unknown[] {
  const masked: unknown[] = [];
  let changed = false;
  for (const value of values) {
    size.left--;
    if (size.left < 0) return [...masked, CUT_MARK];
    const maskedValue = maskValue(value, meaning, size, depth + 1);
    changed ||= maskedValue !== value;
    masked.push(maskedValue);
  }
  return changed ? masked : values;
}

function maskObject(
  value: Readonly<Record<string, unknown>>,
  size: Size,
  depth: number,
  personal: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  let entries: [string, unknown][] | null = null;
  let count = 0;
  for (const name in value) {
    if (size.left < 0) {
      entries ??= Object.entries(value).slice(0, count);
      entries.push([CUT_MARK, CUT_MARK]);
      break;
    }
    const inner = value[name];
    const maskedName = maskName(name, size);
    const masked = personal.includes(name) ? MASKED_PERSON : maskProperty(name, inner, size, depth);
    // Created only once something is masked: most arguments are recorded as they are.
    if (masked !== inner || maskedName !== name) entries ??= Object.entries(value).slice(0, count);
    entries?.push([maskedName, masked]);
    count++;
  }
  return entries ? Object.fromEntries(entries) : value;
}

const MAX_NAME_LENGTH = 200;

/** Cache of names with nothing to mask: tools have few, callers may send any. */
const HARMLESS = new Set<string>();
const MAX_HARMLESS = 2000;
const MAX_CACHED_LENGTH = 64;

/** Names come from the caller too, because calls refused for invalid arguments are also recorded. */
function maskName(name: string, size: Size): string {
  size.left -= name.length + 3;
  if (HARMLESS.has(name)) return name;
  if (name.length > MAX_NAME_LENGTH) return '[long name]';
  const masked = maskText(name);
  if (masked === name && name.length <= MAX_CACHED_LENGTH) {
    if (HARMLESS.size >= MAX_HARMLESS) HARMLESS.clear();
    HARMLESS.add(name);
  }
  return masked;
}
