import type { Pivot } from '../../tools/model.ts';
import { type Cell, type Table, textOf } from './table.ts';

/**
 * Turns rows of one quantity each into one row for each time, with a column for each quantity, in the order in which both
 * first appear. The table is returned as it is if it lacks a column of the pivot.
 */
export function pivotTable(table: Table, { rows: keys, category, value }: Pivot): Table {
  const at = (name: string): number => table.columns.indexOf(name);
  const [keysAt, categoryAt, valueAt] = [keys.map(at), at(category), at(value)];
  if ([...keysAt, categoryAt, valueAt].includes(-1)) return table;
  const columnOf = numbering(keys.length);
  const byKey = new Map<string, Cell[]>();
  for (const row of table.rows) {
    const cells = keysAt.map((index) => row[index] ?? '');
    const key = cells.join('\0');
    const target = byKey.get(key) ?? cells;
    if (target === cells) byKey.set(key, cells);
    const index = columnOf.index(textOf(row[categoryAt] ?? ''));
    while (target.length < index) target.push('');
    target[index] = row[valueAt] ?? '';
  }
  const columns = [...keys, ...columnOf.names()];
  const rows = [...byKey.values()];
  for (const cells of rows) while (cells.length < columns.length) cells.push('');
  return { columns, rows };
}

/** Numbers names in the order in which they first appear. */
function numbering(first: number) {
  const indexes = new Map<string, number>();
  return {
    index(name: string): number {
      const index = indexes.get(name) ?? first + indexes.size;
      indexes.set(name, index);
      return index;
    },
    names: () => indexes.keys(),
  };
}
