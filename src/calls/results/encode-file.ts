import { setImmediate as nextTurn } from 'node:timers/promises';
import { csvRow } from '../../platform/kernel/csv-row.ts';
import { textOf } from '../view/table.ts';
import type { Row } from './pieces.ts';

export const FILE_FORMATS = ['csv', 'ndjson', 'json'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

export const FILE_MEDIA_TYPES: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  json: 'application/json; charset=utf-8',
};

/** By which spreadsheets recognise UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Encodes rows as they are read, so that memory does not grow with their number. */
export async function* encodeFile(
  format: FileFormat,
  columns: readonly string[],
  batches: AsyncIterable<readonly Row[]>,
): AsyncGenerator<Buffer, void, void> {
  const { start, row, separator, end } = ENCODERS[format](columns);
  if (start !== '') yield Buffer.from(start);
  let isFirst = true;
  for await (const batch of batches) {
    const text = batch.map(row).join(separator);
    yield Buffer.from(isFirst ? text : separator + text);
    isFirst = false;
    // The socket may take everything at once: other work must have its turn.
    await nextTurn();
  }
  if (end !== '') yield Buffer.from(end);
}

interface RowEncoder {
  readonly start: string;
  readonly row: (row: Row) => string;
  readonly separator: string;
  readonly end: string;
}

const ENCODERS: Readonly<Record<FileFormat, (columns: readonly string[]) => RowEncoder>> = {
  csv: (columns) => ({
    start: BYTE_ORDER_MARK + csvRow(columns),
    row: (row) => csvRow(row.map(textOf)),
    separator: '',
    end: '',
  }),
  ndjson: (columns) => {
    const object = objectOf(columns);
    return { start: '', row: (row) => `${object(row)}\n`, separator: '', end: '' };
  },
  json: (columns) => ({ start: '[', row: objectOf(columns), separator: ',\n', end: ']\n' }),
};

/** A row as a JSON object on one line, with its values as the source wrote them; null for a cell that it lacks. */
function objectOf(columns: readonly string[]): RowEncoder['row'] {
  const names = columns.map((name) => `${JSON.stringify(name)}:`);
  return (row) => `{${row.map((cell, index) => names[index] + memberOf(cell)).join(',')}}`;
}

/** Line breaks of JSON stand between its tokens, where a blank is equivalent. */
const memberOf = (cell: string): string => (cell === '' ? 'null' : cell.replaceAll(/[\r\n]/g, ' '));
