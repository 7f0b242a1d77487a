import { invalidArguments } from '../../platform/kernel/error.ts';
import { compareDecimals, decimalOf, decimalText } from './decimal.ts';
import { type Cell, type Table, textOf } from './table.ts';

/** A column by which rows are sorted. */
export interface SortKey {
  readonly column: string;
  readonly isDescending: boolean;
}

/** Rows that are sorted at once. */
export const MAX_SORTED_ROWS = 200_000;

/**
 * The rows of a table in the order of `sort`; rows that are equal in it keep theirs. Throws `invalid_arguments` with the
 * name of the tool.
 */
export function sortRows(table: Table, sort: readonly SortKey[], tool: string): Table {
  if (sort.length === 0) return table;
  const indexes = sort.map(({ column }) => table.columns.indexOf(column));
  const keys = table.rows.map((row) => indexes.map((index) => row[index] ?? ''));
  const rows = orderOf(keys, sort, tool).map((index) => table.rows[index] ?? []);
  return { columns: table.columns, rows };
}

/**
 * The positions of rows in the order of `sort`, by the cells of its columns. Numbers come before texts in an ascending
 * order, and missing values last in any.
 */
export function orderOf(
  rows: readonly (readonly Cell[])[],
  sort: readonly SortKey[],
  tool: string,
): readonly number[] {
  if (rows.length > MAX_SORTED_ROWS) throw tooMany(tool);
  const values = rows.map((cells) => cells.map(sortable));
  return [...rows.keys()].sort((a, b) => {
    for (const [at, { isDescending }] of sort.entries()) {
      const order = compare(values[a]?.[at] ?? MISSING, values[b]?.[at] ?? MISSING, isDescending);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function tooMany(tool: string) {
  const most = MAX_SORTED_ROWS.toLocaleString('en');
  const message = `sorts at most ${most} rows. Keep fewer with _where, or group them.`;
  return invalidArguments(tool, [{ path: '/_sort', message }]);
}

/** A value to compare: `near` is its number as a double, NaN for a text. */
interface Sortable {
  readonly text: string;
  readonly near: number;
}

const MISSING: Sortable = { text: '', near: Number.NaN };

function sortable(cell: Cell): Sortable {
  const text = textOf(cell).trim();
  const decimal = decimalOf(text);
  return { text, near: decimal ? Number(decimalText(decimal)) : Number.NaN };
}

function compare(a: Sortable, b: Sortable, isDescending: boolean): number {
  if (a.text === '' || b.text === '') return Number(a.text === '') - Number(b.text === '');
  const order = ascending(a, b);
  return isDescending ? -order : order;
}

function ascending(a: Sortable, b: Sortable): number {
  const [isTextA, isTextB] = [Number.isNaN(a.near), Number.isNaN(b.near)];
  if (isTextA || isTextB) {
    if (isTextA !== isTextB) return isTextA ? 1 : -1;
    return a.text < b.text ? -1 : Number(a.text > b.text);
  }
  if (a.near !== b.near) return a.near - b.near;
  const [exactA, exactB] = [decimalOf(a.text), decimalOf(b.text)];
  return exactA && exactB ? compareDecimals(exactA, exactB) : 0;
}
