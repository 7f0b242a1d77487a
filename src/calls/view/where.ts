import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import { withoutHour24 } from '../../platform/kernel/time.ts';
import { otherTimeForms } from '../../tools/request/near-dates.ts';

/** Columns that one call may filter by. */
export const MAX_CONDITIONS = 20;
/** Values that one condition may list. */
export const MAX_VALUES = 200;

type Scalar = string | number | boolean | null;
type Range = { readonly from?: Scalar; readonly to?: Scalar };

/** What `_where` asks of the text of a column: one of some values, or a range. */
export type Condition = (text: string) => boolean;

/** The conditions of `_where`, by column. */
export type Where = ReadonlyMap<string, Condition>;

/** What is wrong with a `_where`; `columns` are those that exist, null if that is not known. */
export function whereIssues(where: unknown, columns: readonly string[] | null): ArgumentIssue[] {
  if (where === undefined) return [];
  if (!isObject(where)) return [{ path: '/_where', message: FORM }];
  const conditions = Object.entries(where);
  if (conditions.length > MAX_CONDITIONS) {
    return [{ path: '/_where', message: `has more than ${MAX_CONDITIONS} columns.` }];
  }
  return conditions.flatMap(([name, wanted]) => {
    const path = `/_where/${name.slice(0, MAX_QUOTED)}`;
    if (columns && !columns.includes(name)) {
      return { path, message: `is not a column. Columns: ${columns.join(', ')}.` };
    }
    const message = conditionIssue(wanted);
    return message === undefined ? [] : { path, message };
  });
}

const MAX_QUOTED = 100;
const FORM =
  'must be an object of conditions by column, each a value, a list of values or {"from": …, "to": …}.';

function conditionIssue(wanted: unknown): string | undefined {
  if (Array.isArray(wanted)) {
    const isList = wanted.length > 0 && wanted.length <= MAX_VALUES && wanted.every(isScalar);
    return isList ? undefined : `must be a list of 1 to ${MAX_VALUES} values.`;
  }
  if (!isObject(wanted)) return isScalar(wanted) ? undefined : FORM;
  const { from, to, ...others } = wanted;
  const given = [from, to].filter((end) => end !== undefined);
  if (Object.keys(others).length > 0 || given.length === 0 || !given.every(isScalar)) {
    return 'must be a range {"from": …, "to": …} with one of them or both.';
  }
  const isReversed = given.length === 2 && compare(String(from), String(to)) > 0;
  return isReversed ? 'has a from that is after its to.' : undefined;
}

const isScalar = (value: unknown): value is Scalar => value === null || typeof value !== 'object';

/** The conditions of a `_where` without issues. */
export function whereOf(where: unknown): Where {
  return new Map(
    Object.entries(isObject(where) ? where : {}).map(([name, wanted]) => [
      name,
      isObject(wanted) ? within(wanted as Range) : oneOf([wanted].flat() as Scalar[]),
    ]),
  );
}

/** Numbers equal texts of the same value: 3 is `3`, `3.0` and `03`. Dates and times equal those in other forms. */
function oneOf(values: readonly Scalar[]): Condition {
  const texts = new Set(
    values.flatMap((value) => (value === null ? '' : [String(value), ...timeForms(`${value}`)])),
  );
  const numbers = new Set(values.filter((value) => typeof value === 'number'));
  return (text) =>
    texts.has(text) ||
    texts.has(withoutHour24(text)) ||
    (numbers.size > 0 && numbers.has(numberOf(text)));
}

function within({ from, to }: Range): Condition {
  const [first, last] = [from, to].map((end) => {
    const date = withoutHour24(String(end));
    return end === undefined ? undefined : { date, forms: timeForms(date) };
  });
  return (cell) => {
    const text = withoutHour24(cell);
    return (
      text !== '' &&
      (first === undefined || compare(text, inFormOf(text, first)) >= 0) &&
      (last === undefined || compare(text, inFormOf(text, last)) <= 0)
    );
  };
}

/** The other forms of a date or a time, with hour 24 as hour 0 of the next day, and with a blank for the `T`. */
function timeForms(text: string): string[] {
  const plain = withoutHour24(text);
  const forms = [...(plain === text ? [] : [plain]), ...otherTimeForms(plain)];
  return [...forms, ...forms.filter((form) => form.includes('T')).map(withBlank)];
}

const withBlank = (form: string): string => form.replace('T', ' ');

/** A date in the form of a text: with hyphens or as digits, with `T` or with a blank. */
const inFormOf = (
  text: string,
  { date, forms }: { readonly date: string; readonly forms: readonly string[] },
): string =>
  forms.find((form) => form.length === text.length && form.includes('T') === text.includes('T')) ??
  date;

/** Numbers by value, with separators of thousands or without; all other texts, such as dates, by their characters. */
function compare(some: string, other: string): number {
  const [a, b] = [numberOf(some), numberOf(other)];
  if (!Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  return some < other ? -1 : Number(some > other);
}

const numberOf = (text: string): number =>
  text.trim() === '' ? Number.NaN : Number(text.replaceAll(',', ''));
