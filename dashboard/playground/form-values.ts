import { isWhole, OVER, overTexts, valuesOf } from './ranges.ts';
import { type Field, isSchema, type Schema, showValue, typeOf } from './read-fields.ts';

/** What is entered for each field, by the position of the field: names may contain dots, which forms read as paths. */
export type FormValues = Record<string, string | string[]>;

export const keyOf = (position: number): string => `field${position}`;

export type Arguments = Readonly<Record<string, unknown>>;

export interface ReadArguments {
  readonly arguments: Arguments;
  /** What is wrong with an entry, by its key: the name of a text. */
  readonly issues: Readonly<Record<string, Issue>>;
}

export type Issue = 'required' | 'number' | 'integer' | 'json' | 'range';

/** The entries of `_over`. */
export const overIn = (fields: readonly Field[], values: FormValues): readonly string[] =>
  [values[keyOf(fields.findIndex(({ name }) => name === OVER))] ?? []].flat();

/** Whether an argument is the end of a range that varies, so that its start names both. */
export const isNamedByStart = ({ rangeStart }: Field, over: readonly string[]): boolean =>
  rangeStart !== null && valuesOf(over, rangeStart) !== undefined;

/** The arguments that the entries stand for. Empty entries are left out, so that defaults apply, and those that vary. */
export function readArguments(fields: readonly Field[], values: FormValues): ReadArguments {
  const entries: [string, unknown][] = [];
  const issues: Record<string, Issue> = {};
  const over = overIn(fields, values);
  for (const [at, field] of fields.entries()) {
    const key = keyOf(at);
    if (isNamedByStart(field, over)) continue;
    const range = valuesOf(over, field.name);
    if (range !== undefined) {
      if (!isWhole(range)) issues[key] = 'range';
      continue;
    }
    const read = readEntry(field, values[key] ?? '');
    if (read === undefined) {
      if (field.isRequired) issues[key] = 'required';
    } else if ('issue' in read) issues[key] = read.issue;
    else entries.push([field.name, read.value]);
  }
  return { arguments: Object.fromEntries(entries), issues };
}

type ReadEntry = { readonly value: unknown } | { readonly issue: Issue } | undefined;

function readEntry({ kind, schema }: Field, entry: string | string[]): ReadEntry {
  if (Array.isArray(entry)) return readList(schema, entry);
  const text = kind === 'text' ? entry : entry.trim();
  if (text === '') return undefined;
  if (kind === 'number' || kind === 'integer') return readNumber(text, kind);
  if (kind === 'choice') return { value: valueShownAs(schema, text) };
  return kind === 'json' ? readJson(text) : { value: text };
}

function readList(schema: Schema, entries: readonly string[]): ReadEntry {
  const elements = isSchema(schema['items']) ? schema['items'] : {};
  const values = entries.filter((text) => text.trim() !== '');
  if (values.length === 0) return undefined;
  const type = typeOf(elements);
  if (type !== 'number' && type !== 'integer') {
    return { value: values.map((text) => valueShownAs(elements, text)) };
  }
  const numbers = values.map(Number);
  return numbers.every(Number.isFinite) ? { value: numbers } : { issue: 'number' };
}

function readNumber(text: string, kind: 'number' | 'integer'): ReadEntry {
  const value = Number(text);
  if (!Number.isFinite(value)) return { issue: 'number' };
  return kind === 'integer' && !Number.isInteger(value) ? { issue: 'integer' } : { value };
}

function readJson(text: string): ReadEntry {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { issue: 'json' };
  }
}

/** The value that is shown as this text: an enumeration may hold numbers, and a boolean is not a string. */
function valueShownAs(schema: Schema, text: string): unknown {
  const titled = [schema['oneOf'], schema['anyOf']]
    .flat()
    .flatMap((one) => (isSchema(one) && 'const' in one ? [one['const']] : []));
  const values = typeOf(schema) === 'boolean' ? [true, false] : [schema['enum'] ?? []].flat();
  return [...titled, ...values].find((value) => showValue(value) === text) ?? text;
}

/** The entries that stand for these arguments; others are dropped. */
export function writeValues(fields: readonly Field[], args: Arguments): FormValues {
  return Object.fromEntries(
    fields.map((field, at) => [keyOf(at), writeEntry(field, args[field.name])]),
  );
}

function writeEntry({ name, kind }: Field, value: unknown): string | string[] {
  if (name === OVER) return overTexts(value);
  if (kind === 'list') return Array.isArray(value) ? value.map(showValue) : [];
  if (value === undefined) return '';
  return kind === 'json' ? JSON.stringify(value, null, 2) : showValue(value);
}
