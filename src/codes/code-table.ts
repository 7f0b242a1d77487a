import { readFileSync } from 'node:fs';
import { firstFrom } from './search/vocabulary.ts';

/** A point in WGS 84 degrees. */
export interface Point {
  readonly lat: number;
  readonly lon: number;
}

/** What a hit says beside its code and name: what distinguishes it from others. */
export type HitDetails = Readonly<Record<string, string | number>>;

/** A code of a table. All codes are text: leading zeros count. */
export interface CodeHit {
  readonly code: string;
  /** The name in the language of the table, which is Korean unless the table has English names only. */
  readonly name: string;
  readonly kind: string;
  /** The English name that the table has. */
  readonly nameEn?: string;
  /** The Revised Romanisation, computed from `name` where the table has no English name. */
  readonly romanised?: string;
  /** Distance from the point that was asked for, in kilometres. */
  readonly km?: number;
  readonly [detail: string]: string | number | undefined;
}

/** The field of a row in a column; fails if the table has no such column. */
export type Row = (column: string) => string;

/** Rows that a table may have. */
const MAX_ROWS = 65_535;

export type CodeTable = ReturnType<typeof readCodeTable>;

/**
 * Reads a tab-separated table of `codes`: lines that start with "#", one line of column names, then the rows. The file stays one
 * text, and rows are cut from it when they are asked for. Fails if it cannot be read or has more than 65,535 rows.
 */
export function readCodeTable(path: string) {
  const text = readFileSync(path, 'utf8');
  const [head, ...lines] = text.matchAll(/^(?!#).+$/gm);
  if (lines.length > MAX_ROWS) throw new RangeError(`${path} has more than ${MAX_ROWS} rows.`);
  const columns = head?.[0].split('\t') ?? [];
  const numbers = new Map(columns.map((column, number) => [column, number]));
  const starts = Uint32Array.from(lines, ({ index }) => index);

  function row(index: number): Row {
    const end = text.indexOf('\n', starts[index]);
    const fields = text
      .slice(starts[index] ?? text.length, end < 0 ? undefined : end)
      .replace(/\r$/, '')
      .split('\t');
    return (column) => {
      const number = numbers.get(column);
      if (number === undefined) throw new Error(`${path} has no column ${column}.`);
      return fields[number] ?? '';
    };
  }

  /** The rows that contain a text anywhere. */
  function* containing(value: string): Generator<number> {
    let at = value === '' ? -1 : text.indexOf(value, starts[0]);
    while (at >= 0) {
      const index = firstFrom(starts.length, (number) => (starts[number] ?? 0) <= at) - 1;
      yield index;
      at = text.indexOf(value, starts[index + 1] ?? text.length);
    }
  }

  return {
    size: starts.length,
    /** Rows are numbered from 0. */
    row,
    rows: (): Row[] => Array.from(starts, (_, index) => row(index)),
    /** The rows with this value in one of the columns, in the order of the table; a field may list several values. */
    rowsWith: (value: string, wanted: readonly string[]): number[] =>
      [...containing(value)].filter((index) => {
        const fields = wanted.map(row(index));
        return fields.some((field) => field === value || field.split(' ').includes(value));
      }),
  };
}
