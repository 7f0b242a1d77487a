import { once } from 'node:events';

/** A number and its noun, in the plural unless the number is 1. */
export const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? '' : 's'}`;

/** One JSON value per line, as `--json` of lists prints them. */
export const jsonLines = (values: readonly object[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** Writes lines, or pieces of a file, to standard output, at the pace at which its reader reads them. */
export async function writeLines(lines: AsyncIterable<string | Buffer>): Promise<void> {
  for await (const line of lines) {
    if (!process.stdout.write(line)) await once(process.stdout, 'drain');
  }
}
