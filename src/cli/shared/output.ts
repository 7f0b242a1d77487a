import { once } from 'node:events';
import { eastAsianWidth } from 'get-east-asian-width';
import type { JsonOption } from './options.ts';

/** A number and its noun, in the plural unless the number is 1. */
export const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? '' : 's'}`;

/** Writes lines, or pieces of a file, to standard output, at the pace at which its reader reads them. */
export async function writeLines(lines: AsyncIterable<string | Buffer>): Promise<void> {
  for await (const line of lines) {
    if (!process.stdout.write(line)) await once(process.stdout, 'drain');
  }
}

/** The cells of a row by the headings of their columns. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string>>;

/** Prints a list as a table, or one JSON object a line as they come. */
export async function printList<Row>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  { json }: JsonOption,
  columns: Columns<Row>,
): Promise<void> {
  if (json) return writeLines(jsonLines(rows));
  const cells: string[][] = [];
  for await (const row of rows) cells.push(Object.values(columns).map((cellOf) => cellOf(row)));
  process.stdout.write(formatTable(Object.keys(columns), cells));
}

async function* jsonLines(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

const COLUMN_GAP = '  ';

/** Lines of aligned columns for a terminal, under a heading. Control characters, which a terminal obeys, are replaced. */
export function formatTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const cells = [heading, ...rows].map((row) => row.map(printable));
  const widths = heading.map((_, column) =>
    cells.reduce((widest, row) => Math.max(widest, widthOf(row[column] ?? '')), 0),
  );
  return cells
    .map((row) => row.map((cell, column) => padEnd(cell, widths[column] ?? 0)).join(COLUMN_GAP))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, '\uFFFD');

const padEnd = (text: string, width: number): string => text + ' '.repeat(width - widthOf(text));

const graphemes = new Intl.Segmenter();

/** The columns that a terminal uses for a text. A character with its combining marks is as wide as the character. */
function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  return [...graphemes.segment(text)]
    .map(({ segment }) => eastAsianWidth(segment.codePointAt(0) ?? 0))
    .reduce((sum, width) => sum + width, 0);
}
