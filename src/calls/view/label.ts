import { type Cell, textOf } from './table.ts';
import type { ShownColumn } from './view-rows.ts';

/** The text of a cell for people: what a code means, in place of the code. */
export function labelOf(cell: Cell, { codes }: Pick<ShownColumn, 'codes'>): string {
  const text = textOf(cell);
  return codes?.[text] ?? text;
}

/** The name of a column with its meaning and unit: `TMP (temperature, ℃)`. */
export function headingOf({ name, title, unit }: ShownColumn): string {
  const meaning = [title, unit].filter((part) => part !== null && part !== name).join(', ');
  return meaning === '' ? name : `${name} (${meaning})`;
}
