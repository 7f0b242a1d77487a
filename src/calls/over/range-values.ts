/** What the steps of a range are. */
export type StepUnit = 'number' | 'year' | 'half' | 'quarter' | 'month' | 'day';

/** The values of a range, from the first to the last. */
export interface RangeValues {
  readonly count: number;
  /** `index` from 0, below `count`. */
  at(index: number): string;
}

/** A value of a range, as a number that grows by one with each step. */
interface Point {
  readonly unit: StepUnit;
  readonly index: number;
  /** Writes another value in the same form. */
  readonly write: (index: number) => string;
}

const DATE = /^(\d{4})([-./]?)(\d\d)(?:\2(\d\d))?$/;
const PART_OF_YEAR = /^(\d{4})([QqSs])([1-4])$/;
const INTEGER = /^-?\d{1,15}$/;
const DAY_MS = 86_400_000;
/** Digits that could be a number or a month are a month within these years. */
const YEARS = { first: 1800, last: 2200 };

const pad = (value: number, width = 2): string => String(value).padStart(width, '0');

function dayPoint(year: number, month: number, day: number, mark: string): Point | undefined {
  const time = new Date(Date.UTC(year, month - 1, day));
  if (time.getUTCMonth() !== month - 1 || time.getUTCDate() !== day) return undefined;
  return {
    unit: 'day',
    index: time.getTime() / DAY_MS,
    write: (index) =>
      new Date(index * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length).replaceAll('-', mark),
  };
}

function monthPoint(year: number, month: number, mark: string): Point | undefined {
  if (month < 1 || month > 12) return undefined;
  return {
    unit: 'month',
    index: year * 12 + month - 1,
    write: (index) => `${pad(Math.floor(index / 12), 4)}${mark}${pad((index % 12) + 1)}`,
  };
}

function partPoint(year: number, letter: string, part: number): Point | undefined {
  const parts = letter.toUpperCase() === 'Q' ? 4 : 2;
  if (part > parts) return undefined;
  return {
    unit: parts === 4 ? 'quarter' : 'half',
    index: year * parts + part - 1,
    write: (index) => `${pad(Math.floor(index / parts), 4)}${letter}${(index % parts) + 1}`,
  };
}

const numberPoint = (text: string): Point => ({
  unit: 'number',
  index: Number(text),
  write: (index) => (/^0\d/.test(text) ? pad(index, text.length) : String(index)),
});

/** `isTime`: whether digits alone are a date rather than a number. */
function pointOf(text: string, isTime: boolean): Point | undefined {
  const [, partYear, letter = '', part] = PART_OF_YEAR.exec(text) ?? [];
  if (partYear) return partPoint(Number(partYear), letter, Number(part));
  const [, yearText, mark = '', month, day] = DATE.exec(text) ?? [];
  const year = Number(yearText);
  const isDate = mark !== '' || (isTime && year >= YEARS.first && year <= YEARS.last);
  if (yearText && isDate)
    return day === undefined
      ? monthPoint(year, Number(month), mark)
      : dayPoint(year, Number(month), Number(day), mark);
  return INTEGER.test(text) ? numberPoint(text) : undefined;
}

const FORMS =
  'Ranges are of whole numbers (1..12), years (2020..2025), months (202501..202512), days (20250101..20251231) and quarters (2025Q1..2025Q4), in the form that the argument takes.';

/** The range from one value to another, both included; a string says what is wrong with it. */
export function rangeValues(from: string, to: string, isTime: boolean): RangeValues | string {
  const [first, last] = [pointOf(from, isTime), pointOf(to, isTime)];
  if (!first || !last)
    return `has no range of values from ${quote(from)} to ${quote(to)}. ${FORMS}`;
  if (first.unit !== last.unit)
    return `begins with a ${first.unit} and ends with a ${last.unit}. Give both ends in one form.`;
  const count = last.index - first.index + 1;
  if (count < 1)
    return `is reversed: ${quote(from)} is after ${quote(to)}. Give the first one first.`;
  return { count, at: (index) => first.write(first.index + index) };
}

/** One piece of a range that a pair of arguments takes. */
export interface Piece {
  readonly from: string;
  readonly to: string;
}

/** How a pair of arguments takes a range. */
export interface PieceForm {
  /** Undefined: steps are what the ends are. */
  readonly step: StepUnit | undefined;
  /** Steps of the longest piece. */
  readonly max: number;
  /** Whether the upstream leaves out the last value of a range. */
  readonly isExclusive: boolean;
}

/** A range in pieces of at most `max` steps; months and years become days where the pair takes days. */
export function piecesOf(
  from: string,
  to: string,
  { step, max, isExclusive }: PieceForm,
): { readonly count: number; at(index: number): Piece } | string {
  const days = step === 'day' ? inDays(from, to) : undefined;
  const values = rangeValues(days?.from ?? from, days?.to ?? to, step !== 'number');
  if (typeof values === 'string') return values;
  const first = pointOf(values.at(0), step !== 'number');
  const isYear = first?.unit === 'number' && /^\d{4}$/.test(values.at(0));
  const unit = isYear ? 'year' : first?.unit;
  if (step !== undefined && unit !== step) return `must be a range of ${step}s. ${FORMS}`;
  return {
    count: Math.ceil(values.count / max),
    at: (index) => {
      const last = Math.min((index + 1) * max, values.count) - 1;
      return { from: values.at(index * max), to: values.at(last + (isExclusive ? 1 : 0)) };
    },
  };
}

/** The days of a range of months or years; undefined if it is neither. */
function inDays(from: string, to: string): Piece | undefined {
  const [start, end] = [monthsOf(from), monthsOf(to)];
  if (!start || !end) return undefined;
  const afterLast = new Date(Date.UTC(end.year, end.last, 1)).getTime() / DAY_MS;
  const first = dayPoint(start.year, start.first, 1, start.mark);
  return first && { from: first.write(first.index), to: first.write(afterLast - 1) };
}

/** The first and the last month of a month or a year. */
function monthsOf(text: string) {
  const [, year, mark = '', month] = /^(\d{4})(?:([-./]?)(\d\d))?$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const [first, last] = month === undefined ? [1, 12] : [Number(month), Number(month)];
  return first >= 1 && last <= 12 ? { year: Number(year), mark, first, last } : undefined;
}

const MAX_QUOTED = 40;
const quote = (text: string): string => JSON.stringify(text.slice(0, MAX_QUOTED));
