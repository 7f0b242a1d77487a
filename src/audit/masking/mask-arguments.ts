import { labelOfNumber } from './mask-numbers.ts';
import { maskText } from './mask-text.ts';
import { meaningOf, type NameMeaning } from './property-names.ts';

const MASKED_SECRET = '[masked:secret]';
const MASKED_PERSON = '[masked:personal]';
const MAX_CHARACTERS = 8192;
const MAX_DEPTH = 16;
const MAX_NAMES = 20;

interface MaskOptions {
  /** Properties whose whole value is personal, as the definition of the tool declares. */
  readonly personal?: readonly string[];
}

/**
 * The arguments of a call for its audit record, with secrets and personal data replaced by `[masked:...]`. Properties
 * that do not fit into 8 Ki characters are omitted whole, because half a secret would not be recognised. `_truncated`
 * and `_omitted` report them, and everything after the twentieth is dropped. Arguments with nothing to mask are returned
 * unchanged.
 */
export function maskArguments(
  args: Readonly<Record<string, unknown>>,
  options: MaskOptions = {},
): Readonly<Record<string, unknown>> {
  const { personal = [] } = options;
  const size = { left: MAX_CHARACTERS };
  const omitted: string[] = [];
  let kept: [string, unknown][] | null = null;
  for (const name in args) {
    if (omitted.length === MAX_NAMES) break;
    const value = args[name];
    const { left } = size;
    const masked = personal.includes(name) ? MASKED_PERSON : maskProperty(name, value, size, 1);
    const maskedName = maskName(name, size);
    const fits = size.left >= 0;
    if (!fits || masked !== value || maskedName !== name) kept ??= entriesBefore(args, name);
    if (fits) kept?.push([maskedName, masked]);
    else {
      size.left = left;
      omitted.push(maskedName);
    }
  }
  if (kept === null) return args;
  if (omitted.length > 0) kept.push(['_truncated', true], ['_omitted', omitted]);
  return Object.fromEntries(kept);
}

/** Created only once something is masked: most arguments are recorded as they are. */
function entriesBefore(args: Readonly<Record<string, unknown>>, name: string): [string, unknown][] {
  const entries = Object.entries(args);
  return entries.slice(
    0,
    entries.findIndex(([each]) => each === name),
  );
}

/** Whether an argument was masked for its name or its tool. Its value would not be recognised anywhere else. */
export const hidesWhole = (masked: Readonly<Record<string, unknown>>): boolean =>
  Object.values(masked).some((value) => value === MASKED_SECRET || value === MASKED_PERSON);

/** Characters left. Once this is negative, the result is not used. */
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
  if (typeof value === 'string') {
    size.left -= value.length;
    return size.left < 0 ? value : maskText(value, meaning);
  }
  if (typeof value === 'number') {
    size.left -= 8;
    // Card numbers and personal numbers, too.
    return labelOfNumber(value, meaning) ?? value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) {
    size.left = -1;
    return value;
  }
  return Array.isArray(value)
    ? maskArray(value, meaning, size, depth)
    : maskObject(value, size, depth);
}

function maskArray(
  values: readonly unknown[],
  meaning: NameMeaning,
  size: Size,
  depth: number,
): unknown {
  const masked: unknown[] = [];
  let changed = false;
  for (const value of values) {
    size.left--;
    if (size.left < 0) return values;
    const maskedValue = maskValue(value, meaning, size, depth + 1);
    changed ||= maskedValue !== value;
    masked.push(maskedValue);
  }
  return changed ? masked : values;
}

function maskObject(value: object, size: Size, depth: number): unknown {
  const entries: [string, unknown][] = [];
  let changed = false;
  for (const [name, inner] of Object.entries(value)) {
    const maskedName = maskName(name, size);
    if (size.left < 0) return value;
    const maskedInner = maskProperty(name, inner, size, depth + 1);
    changed ||= maskedInner !== inner || maskedName !== name;
    entries.push([maskedName, maskedInner]);
  }
  return changed ? Object.fromEntries(entries) : value;
}

const MAX_NAME_LENGTH = 200;

/** Names come from the caller too, because calls refused for invalid arguments are also recorded. */
function maskName(name: string, size: Size): string {
  size.left -= name.length + 3;
  return name.length > MAX_NAME_LENGTH ? '[long name]' : maskText(name);
}
