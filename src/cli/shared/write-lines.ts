import { once } from 'node:events';

/** Writes lines, or pieces of a file, to standard output, at the pace at which its reader reads them. */
export async function writeLines(lines: AsyncIterable<string | Buffer>): Promise<void> {
  for await (const line of lines) {
    if (!process.stdout.write(line)) await once(process.stdout, 'drain');
  }
}
