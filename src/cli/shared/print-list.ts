import type { Command } from 'commander';
import type { JsonOption } from './options.ts';
import { parseCount } from './options.ts';
import { writeLines } from './output.ts';
import { formatTable } from './table.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 10_000;

/** The options of a list that may be too long to be printed as a whole. */
export const addLimitOptions = (command: Command, entries: string): Command =>
  command
    .option(
      '--limit <number>',
      `number of ${entries}, up to ${MAX_LIMIT}`,
      parseCount(MAX_LIMIT),
      DEFAULT_LIMIT,
    )
    .option('--json', 'print one JSON object per line');

/** Prints a list as a table, or one JSON object a line as they come. */
export async function printList<Row>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  { json }: JsonOption,
  heading: readonly string[],
  cellsOf: (row: Row) => readonly string[],
): Promise<void> {
  if (json) return writeLines(jsonLines(rows));
  const cells: (readonly string[])[] = [];
  for await (const row of rows) cells.push(cellsOf(row));
  process.stdout.write(formatTable(heading, cells));
}

async function* jsonLines(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}
