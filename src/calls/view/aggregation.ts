import { closest } from '../../platform/kernel/closest.ts';
import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import type { SortKey } from './sort-rows.ts';

/** Columns of one `_group`, and of one `_sort`. */
export const MAX_KEYS = 5;
/** Figures of one `_calc`. */
export const MAX_FIGURES = 10;

const UNITS = ['year', 'month', 'day'] as const;
const FUNCTIONS = ['count', 'sum', 'mean', 'median', 'min', 'max', 'first', 'last'] as const;
const ALIASES: Readonly<Record<string, string>> = { avg: 'mean', average: 'mean' };

export type DateUnit = (typeof UNITS)[number];
export type CalcFunction = (typeof FUNCTIONS)[number];

/** A column by which rows are grouped. */
export interface GroupKey {
  readonly column: string;
  /** The part of a date that counts; null = the whole value. */
  readonly unit: DateUnit | null;
  /** Of the column in the result: `dealDate`, `dealDate_month`. */
  readonly name: string;
}

/** What is calculated of each group. */
export interface Figure {
  readonly function: CalcFunction;
  /** Null only for the number of rows. */
  readonly column: string | null;
  /** Of the column in the result: `count`, `median_dealAmount`. */
  readonly name: string;
}

/** `_group` and `_calc`. Without groups, all rows are one. */
export interface Aggregation {
  readonly group: readonly GroupKey[];
  readonly calc: readonly Figure[];
}

/** `_group`, `_calc` and `_sort` of a call. */
export interface ReadAggregation {
  /** Null without `_group` and `_calc`. */
  readonly aggregation: Aggregation | null;
  readonly sort: readonly SortKey[];
  readonly issues: readonly ArgumentIssue[];
}

/** The columns of a tool, as far as they are known before a call. */
export interface KnownColumns {
  /** Null if they are not described. */
  readonly names: readonly string[] | null;
  /** Whether a column may hold personal data, which is not grouped. */
  readonly isPersonal: (name: string) => boolean;
}

type Arguments = Readonly<Record<string, unknown>>;

/** Reads `_group`, `_calc` and `_sort` in the notation of lists of texts. Never throws; bad parts are left out. */
export function readAggregation(args: Arguments, columns: KnownColumns): ReadAggregation {
  const { _group: grouped, _calc: calculated, _sort: sorted } = args;
  const issues: ArgumentIssue[] = [];
  const group = read({ name: '_group', given: grouped, most: MAX_KEYS }, issues, (text) =>
    readGroupKey(text, columns),
  );
  const calc = read({ name: '_calc', given: calculated, most: MAX_FIGURES }, issues, (text) =>
    readFigure(text, columns),
  );
  const isAggregated = grouped !== undefined || calculated !== undefined;
  const aggregation = isAggregated
    ? { group, calc: calculated === undefined ? [ROWS] : calc }
    : null;
  // After other issues, the names of the results are not certain.
  const results = aggregation && issues.length === 0 ? resultNames(aggregation) : null;
  if (results) checkNames(results, issues);
  const known = isAggregated ? results : columns.names;
  const sort = read({ name: '_sort', given: sorted, most: MAX_KEYS }, issues, (text) =>
    readSortKey(text, known, isAggregated),
  );
  checkSort(sort, issues);
  return { aggregation, sort, issues };
}

const ROWS: Figure = { function: 'count', column: null, name: 'count' };

/** The columns of the result of an aggregation. */
export const resultNames = ({ group, calc }: Aggregation): string[] =>
  [...group, ...calc].map(({ name }) => name);

/** The columns that an aggregation reads. */
export const columnsOf = ({ group, calc }: Aggregation): string[] => [
  ...new Set([...group, ...calc].flatMap(({ column }) => column ?? [])),
];

/** What one text says, or what is wrong with it. */
type Reading<T> = T | string;

/** Reads the elements of a list, and adds what is wrong to `issues`. */
function read<T extends object>(
  { name, given, most }: { readonly name: string; readonly given: unknown; readonly most: number },
  issues: ArgumentIssue[],
  readOne: (text: string) => Reading<T>,
): T[] {
  if (given === undefined) return [];
  const texts = Array.isArray(given) ? given : [];
  const path = `/${name}`;
  if (texts.length === 0) issues.push({ path, message: 'must be a list of at least one text.' });
  if (texts.length > most) issues.push({ path, message: `has more than ${most} elements.` });
  return texts.slice(0, most).flatMap((text, index) => {
    const reading = readOne(String(text).trim());
    if (typeof reading !== 'string') return reading;
    issues.push({ path: `${path}/${index}`, message: reading });
    return [];
  });
}

function readGroupKey(text: string, columns: KnownColumns): Reading<GroupKey> {
  const [unit, inner] = split(text);
  // A name with a colon may be a column, such as `gml:id`.
  const isForeign = columns.names === null && closest(unit, UNITS) === undefined;
  const isWhole = inner === null || isForeign || columns.names?.includes(text);
  if (!isWhole && !isOneOf(UNITS, unit)) return unknown('unit', unit, UNITS);
  const column = isWhole ? text : (inner ?? '');
  const issue = columnIssue(column, columns);
  if (issue !== undefined) return issue;
  if (isWhole) return { column, unit: null, name: column };
  return { column, unit: unit as DateUnit, name: `${column}_${unit}` };
}

function readFigure(text: string, columns: KnownColumns): Reading<Figure> {
  const [written, column] = split(text);
  const name = ALIASES[written] ?? written;
  if (!isOneOf(FUNCTIONS, name)) return unknown('function', written, FUNCTIONS);
  if (name === 'count' && (column ?? '*') === '*') return ROWS;
  if (!column) return `needs a column: ${name}:column.`;
  const issue = columnIssue(column, columns);
  return issue ?? { function: name, column, name: `${name}_${column}` };
}

function readSortKey(
  text: string,
  names: readonly string[] | null,
  isResult: boolean,
): Reading<SortKey> {
  const isDescending = text.startsWith('-');
  const written = isDescending ? text.slice(1).trim() : text;
  const [first, column] = split(written);
  // What `_group` and `_calc` say is plain, too.
  const meant = [`${ALIASES[first] ?? first}_${column}`, `${column}_${first}`];
  const named =
    isResult && column !== null ? meant.find((name) => names?.includes(name)) : undefined;
  const name = named ?? written;
  return unknownColumn(name, names) ?? { column: name, isDescending };
}

/** `median:price` and `median(price)` in their two parts; the second is null if there is only one. */
function split(text: string): readonly [string, string | null] {
  const [, outer, inner] = /^(\w+)\((.*)\)$/.exec(text) ?? [];
  if (outer !== undefined && inner !== undefined) return [outer, inner.trim()];
  const at = text.indexOf(':');
  return at < 0 ? [text, null] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

const isOneOf = <T extends string>(words: readonly T[], word: string): word is T =>
  words.some((known) => known === word);

const columnIssue = (name: string, { names, isPersonal }: KnownColumns): string | undefined =>
  unknownColumn(name, names) ??
  (isPersonal(name)
    ? 'may hold personal data, which is neither grouped nor calculated.'
    : undefined);

/** What is wrong with the name of a column; undefined if it is known, or the columns are not. */
export function unknownColumn(name: string, names: readonly string[] | null): string | undefined {
  if (name === '') return 'names no column.';
  return names === null || names.includes(name) ? undefined : unknown('column', name, names);
}

/** Characters of a name that an issue repeats. */
const MAX_QUOTED = 100;

function unknown(what: string, word: string, known: readonly string[]): string {
  const near = closest(word, known);
  const help = near === undefined ? `Known: ${known.join(', ')}.` : `Did you mean ${near}?`;
  return `names the unknown ${what} "${word.slice(0, MAX_QUOTED)}". ${help}`;
}

function checkNames(names: readonly string[], issues: ArgumentIssue[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  const message = `makes the column ${twice.slice(0, MAX_QUOTED)} twice. Name each once in _group and _calc.`;
  issues.push({ path: '/_calc', message });
}

function checkSort(sort: readonly SortKey[], issues: ArgumentIssue[]): void {
  const columns = sort.map(({ column }) => column);
  if (new Set(columns).size === columns.length) return;
  issues.push({ path: '/_sort', message: 'names a column twice.' });
}

const NOTATED = ['_group', '_calc', '_sort'] as const;

/** The arguments with `_group`, `_calc` and `_sort` as lists of texts; the same object if they need no change. */
export function inNotation(args: Arguments): Arguments {
  let changed: Record<string, unknown> | undefined;
  for (const name of NOTATED) {
    const given = args[name];
    if (isLeftOut(given)) continue;
    changed ??= { ...args };
    changed[name] = textsOf(given, name === '_sort');
  }
  return changed ?? args;
}

const isLeftOut = (given: unknown): boolean =>
  given === undefined || given === null || (typeof given === 'string' && given.trim() === '');

/** A text with commas as a list, and objects as texts: `{"median": "price"}` is `median:price`. */
function textsOf(given: unknown, isSort: boolean): unknown {
  if (typeof given === 'string') {
    const text = given.trim();
    // The check of arguments reads JSON in a text.
    if (/^[[{]/.test(text)) return textsOf(parsed(text), isSort);
    return text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  }
  if (Array.isArray(given))
    return given.flatMap((part) => (isObject(part) ? pairs(part, isSort) : [part]));
  return isObject(given) ? pairs(given, isSort) : given;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return [text];
  }
}

/** `{"median": "price"}`, `{"price": "median"}` and `{"column": "price", "function": "median"}` say the same. */
function pairs(object: Readonly<Record<string, unknown>>, isSort: boolean): string[] {
  const { column, ...others } = object;
  const said =
    column === undefined
      ? Object.entries(others)
      : [[column, Object.values(others)[0] ?? ''] as const];
  return said.flatMap(([name, value]) =>
    [value].flat().map((one) => inText(String(name), String(one), isSort)),
  );
}

function inText(name: string, what: string, isSort: boolean): string {
  if (isSort) return /^(?:desc|-)/i.test(what) ? `-${name}` : name;
  if (what === '' || what === 'true') return name;
  return isOneOf([...FUNCTIONS, ...UNITS, ...Object.keys(ALIASES)], name)
    ? `${name}:${what}`
    : `${what}:${name}`;
}
