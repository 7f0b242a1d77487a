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
  const quantities = new Map<string, number>();
  const byKey = new Map<string, Cell[]>();
  for (const row of table.rows) {
    const cells = keysAt.map((index) => row[index] ?? '');
    const key = cells.join('\0');
    let target = byKey.get(key);
    if (!target) byKey.set(key, (target = cells));
    const name = textOf(row[categoryAt] ?? '');
    let index = quantities.get(name);
    if (index === undefined) quantities.set(name, (index = keys.length + quantities.size));
    while (target.length < index) target.push('');
    target[index] = row[valueAt] ?? '';
  }
  const columns = [...keys, ...quantities.keys()];
  const rows = [...byKey.values()];
  for (const cells of rows) while (cells.length < columns.length) cells.push('');
  return { columns, rows };
}
