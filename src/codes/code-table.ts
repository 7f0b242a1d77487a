import { readFileSync } from 'node:fs';

/** The field of a row in a column; fails if the table has no such column. */
export type Row = (column: string) => string;

/** A table of `data/codes`: rows of text, numbered from 0. */
export interface CodeTable {
  readonly size: number;
  row(index: number): Row;
  /** The rows with this value in one of the columns, in the order of the table; a field may list several values. */
  rowsWith(value: string, columns: readonly string[]): number[];
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const COMMENT = 0x23;
/** Rows are numbered with two bytes in the index. */
const MAX_ROWS = 65_535;

/**
 * Reads a tab-separated table: lines that start with "#", one line of column names, then the rows. The text stays as
 * bytes, and rows are decoded when they are asked for. Fails if the file cannot be read or has more than 65,535 rows.
 */
export function readCodeTable(path: string): CodeTable {
  const bytes = readFileSync(path);
  const lines = lineStarts(bytes);
  const columns = decode(bytes, lines[0] ?? 0, lines[1] ?? bytes.length).split('\t');
  const starts = lines.subarray(1);
  const size = starts.length - 1;
  if (size > MAX_ROWS) throw new RangeError(`${path} has more than ${MAX_ROWS} rows.`);
  const numbers = new Map(columns.map((column, number) => [column, number]));

  function row(index: number): Row {
    const fields = decode(bytes, starts[index] ?? 0, starts[index + 1] ?? 0).split('\t');
    return (column) => {
      const number = numbers.get(column);
      if (number === undefined) throw new Error(`${path} has no column ${column}.`);
      return fields[number] ?? '';
    };
  }

  return {
    size,
    row,
    rowsWith: (value, wanted) =>
      rowsThatContain(bytes, starts, value).filter((index) => {
        const field = row(index);
        return wanted.some((column) => lists(field(column), value));
      }),
  };
}

/** Whether a field is a value, or values separated by blanks of which it is one. */
const lists = (field: string, value: string): boolean =>
  field === value || field.split(' ').includes(value);

/** Starts of the lines after the head, and the end of the last one. */
function lineStarts(bytes: Buffer): Uint32Array {
  const starts: number[] = [];
  let start = 0;
  while (start < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    if (bytes[start] !== COMMENT) starts.push(start);
    start = end;
  }
  return Uint32Array.from([...starts, bytes.length]);
}

/** The text of a line, without its end. */
function decode(bytes: Buffer, start: number, next: number): string {
  let end = next;
  while (end > start && (bytes[end - 1] === NEWLINE || bytes[end - 1] === RETURN)) end--;
  return bytes.toString('utf8', start, end);
}

function rowsThatContain(bytes: Buffer, starts: Uint32Array, value: string): number[] {
  const found = new Set<number>();
  let at = value === '' ? -1 : bytes.indexOf(value, starts[0]);
  while (at >= 0) {
    const row = rowAt(starts, at);
    found.add(row);
    at = bytes.indexOf(value, starts[row + 1]);
  }
  return [...found];
}

/** The row that contains a byte. */
function rowAt(starts: Uint32Array, at: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= at) low = middle;
    else high = middle;
  }
  return low;
}
