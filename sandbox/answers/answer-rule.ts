import type { JsonObject } from '../../src/platform/kernel/plain-json.ts';
import type { SandboxResponse } from '../sandbox-response.ts';
import type { Page, Question } from './question.ts';

/** A row of an answer: a value for each column. */
export type Row = Readonly<Record<string, unknown>>;

/** All rows that an upstream has for a question. Only those of the requested page are made. */
export interface Rows {
  readonly count: number;
  /** The row at an index from 0 to `count` - 1. */
  readonly at: (index: number) => Row;
}

/**
 * How a simulated upstream answers a question. Row n starts as a copy of a row of the sample, in turn; then `ids`,
 * `contains` and `echo` change columns of it, and last the columns that `rows` gives.
 */
export interface AnswerRule {
  /** The response to a question that the upstream refuses; undefined for all others. */
  readonly refuse?: (question: Question) => SandboxResponse | undefined;
  /** Parameters with codes; there is no data if one of them is unknown. */
  readonly codes?: readonly string[];
  /** Columns that repeat a parameter, if it was sent: the name of the parameter for each. */
  readonly echo?: Readonly<Record<string, string>>;
  /** Columns that contain the words of a parameter, if it was sent: the name of the parameter for each. */
  readonly contains?: Readonly<Record<string, string>>;
  /** Columns that count up, so that every row has its own. */
  readonly ids?: readonly string[];
  /** All rows for the question, undefined if there are none; by default, those of the sample. */
  readonly rows?: (question: Question, sample: readonly Row[]) => Rows | Row[] | undefined;
  /** Members of the response beside the rows, by JSON pointer (in XML, the last segment names the element). */
  readonly envelope?: (question: Question, page: Page) => Row;
  /** The whole response of a tool without rows; undefined if there is no data. */
  readonly whole?: (question: Question, sample: JsonObject) => JsonObject | undefined;
}

export type AnswerRules = Readonly<Record<string, AnswerRule>>;

export const repeated = (count: number, at: Rows['at']): Rows => ({ count, at });

/** One row for each combination of the axes, such as days and stations; the last axis changes fastest. */
export const crossed = (...axes: readonly (readonly Row[])[]): Rows => ({
  count: axes.reduce((count, axis) => count * axis.length, 1),
  at(index) {
    let rest = index;
    const parts = axes.toReversed().map((axis) => {
      const part = axis[rest % axis.length];
      rest = Math.floor(rest / axis.length);
      return part;
    });
    return Object.assign({}, ...parts.reverse());
  },
});

/** The same rows with more columns, which may depend on the columns of each. */
export const extended = ({ count, at }: Rows, extend: (row: Row) => Row): Rows => ({
  count,
  at(index) {
    const row = at(index);
    return { ...row, ...extend(row) };
  },
});

/** Names of columns or parameters, separated by blanks. */
export const words = (text: string): string[] => text.split(' ');

export const each = (columns: readonly string[], value: (column: string) => unknown): Row =>
  Object.fromEntries(columns.map((column) => [column, value(column)]));

/** Columns that repeat the parameter of the same name. */
export const namedAlike = (columns: string): Readonly<Record<string, string>> =>
  Object.fromEntries(words(columns).map((column) => [column, column]));

/** The same text in each of the columns, whose names are separated by blanks. */
export const filled = (columns: string, text: string): Row => each(words(columns), () => text);

/** Empties the columns, except those that hold no text. */
export const emptied = (row: Row, columns: readonly string[]): Row =>
  each(
    columns.filter((column) => typeof row[column] === 'string'),
    () => '',
  );

export const mentions = (row: Row, text: string): boolean =>
  Object.values(row).some((value) => typeof value === 'string' && value.includes(text));

/**
 * How rows that a search finds are made up: the parameter with the words, the column with the name of what was found, the
 * columns that are true of the row of the sample only, and what a row is called if no words were asked for.
 */
interface Found {
  readonly parameter: string;
  readonly name: string;
  readonly own: readonly string[];
  readonly called: string;
}

/**
 * The changes that make a row fit a search: none for a row of the sample that contains the words. Every other is named by the
 * words and a number, and says nothing that is true of the sample only.
 */
export function foundRow(
  question: Question,
  sample: readonly Row[],
  index: number,
  found: Found,
): Row {
  const template = sample[index % sample.length] ?? {};
  const asked = question.text(found.parameter);
  if (index < sample.length && (asked === '' || mentions(template, asked))) return {};
  return { ...emptied(template, found.own), [found.name]: `${asked || found.called} ${index + 1}` };
}

/** A rule for the row of the sample if its id is asked for, or else for one of which only the id is known. */
export const rowById = (
  parameter: string,
  isOfSample: (id: string, sample: Row) => boolean,
  made: (id: string, sample: Row) => Row,
): AnswerRule => ({
  codes: [parameter],
  rows({ text }, [known = {}]) {
    const id = text(parameter);
    return [isOfSample(id, known) ? known : made(id, known)];
  },
});

/** What is left of an amount by the filters that a question has, of which each leaves a share. */
export const reducedBy = (
  { has }: Question,
  amount: number,
  shares: Readonly<Record<string, number>>,
): number =>
  Object.entries(shares).reduce((left, [name, share]) => left * (has(name) ? share : 1), amount);
