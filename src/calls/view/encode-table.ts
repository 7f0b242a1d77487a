import { labelOf } from './label.ts';
import type { Cell } from './table.ts';
import type { ShownColumn, ShownRows } from './view-rows.ts';

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
