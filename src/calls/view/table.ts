import type { ColumnFacts } from '../../tools/model.ts';

/** The JSON text of a value, as the upstream wrote it; `''` if a row does not have the column. */
export type Cell = string;

/** The rows of a response as a table. */
export interface Table {
  readonly columns: readonly string[];
  /** One cell for each column. */
  readonly rows: readonly (readonly Cell[])[];
}

/** A column as it is shown. */
export interface ShownColumn extends ColumnFacts {
  readonly name: string;
}

/** Rows as people and models read them. */
export interface ShownRows {
  readonly columns: readonly ShownColumn[];
  /** One cell for each column, as the upstream wrote it. */
  readonly rows: readonly (readonly Cell[])[];
  /** Rows that match, with those beyond the limit. */
  readonly matching: number;
  /** Whether rows of one quantity each were put together. */
  readonly isPivoted: boolean;
  /** What the response of a registered API says beside its rows, as JSON. */
  readonly beside?: string;
  /** What one must know of the figures of groups, in sentences; absent where rows are not grouped. */
  readonly notes?: readonly string[];
}

const QUOTE = '"';

/** The text of a cell: strings without quotes and escapes, missing values and null as `''`. */
export function textOf(cell: Cell): string {
  if (!cell.startsWith(QUOTE)) return cell === 'null' ? '' : cell;
  return cell.includes('\\') ? JSON.parse(cell) : cell.slice(1, -1);
}

/** What a code means; undefined for any other text, such as `constructor`. */
export const meaningOf = (text: string, codes: ShownColumn['codes']): string | undefined =>
  codes && Object.hasOwn(codes, text) ? codes[text] : undefined;

/** The text of a cell for people: what a code means, in place of the code. */
export function labelOf(cell: Cell, { codes }: Pick<ShownColumn, 'codes'>): string {
  const text = textOf(cell);
  return meaningOf(text, codes) ?? text;
}

/** The name of a column with its meaning and unit: `TMP (temperature, ℃)`. */
export function headingOf({ name, title, unit }: ShownColumn): string {
  const meaning = [title, unit].filter((part) => part !== null && part !== name).join(', ');
  return meaning === '' ? name : `${name} (${meaning})`;
}

/** A table as JSON: `{"columns": [{name, title, unit, codes}], "rows": [[cell]]}`, with codes in words. */
export function encodeTable({ columns, rows }: Pick<ShownRows, 'columns' | 'rows'>): Buffer {
  const lines = rows.map((row) => `[${encodeRow(row, columns).join(',')}]`);
  return Buffer.from(`{"columns":${JSON.stringify(columns)},"rows":[${lines.join(',')}]}`);
}

/** The cells of a row as JSON: as the upstream wrote them, or the meaning of a code. */
export const encodeRow = (row: readonly Cell[], columns: readonly ShownColumn[]): string[] =>
  row.map((cell, index) => {
    const column = columns[index];
    if (!column?.codes) return cell === '' ? 'null' : cell;
    return JSON.stringify(labelOf(cell, column));
  });
