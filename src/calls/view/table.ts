/** The JSON text of a value, as the upstream wrote it; `''` if a row does not have the column. */
export type Cell = string;

/** The rows of a response as a table. */
export interface Table {
  readonly columns: readonly string[];
  /** One cell for each column. */
  readonly rows: readonly (readonly Cell[])[];
}

const QUOTE = '"';

/** The text of a cell: strings without quotes and escapes, missing values and null as `''`. */
export function textOf(cell: Cell): string {
  if (!cell.startsWith(QUOTE)) return cell === 'null' ? '' : cell;
  return cell.includes('\\') ? JSON.parse(cell) : cell.slice(1, -1);
}
