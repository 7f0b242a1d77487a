import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { Cell } from '../view/table.ts';

export type Row = readonly Cell[];

/** Characters of rows that become one piece: encoding them takes the event loop some milliseconds. */
export const PIECE_CHARACTERS = 256 * 1024;

/** Rows that are read at once: the event loop must not wait for all rows of a piece. */
const BATCH_ROWS = 500;

const compress = promisify(deflateRaw);
const decompress = promisify<Buffer, Buffer>(inflateRaw);

/** Rows as lines, each a JSON array of the texts of its cells, which keeps them as the upstream wrote them. */
export const encodeLine = (row: Row): string => JSON.stringify(row);

export const encodePiece = (lines: readonly string[]): Promise<Buffer> =>
  compress(Buffer.from(lines.join('\n')), { level: 1 });

/** The rows of a piece, in batches. */
export async function* decodePiece(piece: Uint8Array): AsyncGenerator<readonly Row[]> {
  const lines = (await decompress(Buffer.from(piece))).toString().split('\n');
  for (let from = 0; from < lines.length; from += BATCH_ROWS) {
    yield lines.slice(from, from + BATCH_ROWS).map((line): Row => JSON.parse(line));
  }
}
