import type { Question } from '../question.ts';
import type { Row } from '../rows.ts';

/** Whether any text of a row contains the words. */
export const mentions = (row: Row, words: string): boolean =>
  Object.values(row).some((value) => typeof value === 'string' && value.includes(words));

/** Empties the columns, except those that hold no text. */
export const emptied = (row: Row, columns: readonly string[]): Row =>
  Object.fromEntries(
    columns.flatMap((column) => (typeof row[column] === 'string' ? [[column, '']] : [])),
  );

/** How rows that a search finds are made up. */
interface Found {
  /** The parameter with the words; without it, rows are called samples. */
  readonly parameter: string;
  /** The column with the name of what was found. */
  readonly name: string;
  /** Columns that are true of the row of the sample only. */
  readonly own: readonly string[];
  /** What a row is called if no words were asked for. */
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
  const words = question.text(found.parameter);
  if (index < sample.length && (words === '' || mentions(template, words))) return {};
  return { ...emptied(template, found.own), [found.name]: `${words || found.called} ${index + 1}` };
}
