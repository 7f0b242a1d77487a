import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';

/** Columns that one call may filter by. */
export const MAX_CONDITIONS = 20;
/** Values that one condition may list. */
export const MAX_VALUES = 100;

type Scalar = string | number | boolean | null;

/** What `_where` asks of one column: one of some values, or a range. */
export type Condition = (text: string) => boolean;

/** The conditions of `_where`, by column. */
export type Where = ReadonlyMap<string, Condition>;

/** Reads a `_where` that the schema has accepted. An impossible range has an issue. */
export function whereOf(value: unknown): {
  readonly where: Where;
  readonly issues: ArgumentIssue[];
} {
  const where = new Map<string, Condition>();
  const issues: ArgumentIssue[] = [];
  for (const [column, wanted] of Object.entries(isObject(value) ? value : {})) {
    if (isObject(wanted)) {
      const { from, to } = wanted as { from?: Scalar; to?: Scalar };
      if (from !== undefined && to !== undefined && compare(String(from), String(to)) > 0) {
        issues.push({ path: `/_where/${column}`, message: 'has a from that is after its to.' });
      }
      where.set(column, rangeOf(from, to));
    } else where.set(column, oneOf(Array.isArray(wanted) ? wanted : [wanted as Scalar]));
  }
  return { where, issues };
}

function oneOf(values: readonly Scalar[]): Condition {
  const texts = new Set(values.map((value) => (value === null ? '' : String(value))));
  const numbers = new Set(values.filter((value) => typeof value === 'number'));
  return (text) =>
    texts.has(text) || (numbers.size > 0 && text !== '' && numbers.has(Number(text)));
}

function rangeOf(from: Scalar | undefined, to: Scalar | undefined): Condition {
  return (text) =>
    text !== '' &&
    (from === undefined || compare(text, String(from)) >= 0) &&
    (to === undefined || compare(text, String(to)) <= 0);
}

/** Numbers by value, with thousands separators or without; all other texts, such as dates, by their characters. */
function compare(some: string, other: string): number {
  const [a, b] = [numberOf(some), numberOf(other)];
  if (!Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  return some < other ? -1 : Number(some > other);
}

const numberOf = (text: string): number =>
  text.trim() === '' ? Number.NaN : Number(text.replaceAll(',', ''));
