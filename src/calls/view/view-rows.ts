import type { ColumnFacts, Tool } from '../../tools/model.ts';
import { pivotTable } from './pivot-table.ts';
import { readTable } from './read-table.ts';
import { type Cell, type Table, textOf } from './table.ts';
import type { Where } from './where.ts';

/** What a caller chose of the rows. */
export interface RowChoice {
  /** Columns; null = those that the tool shows by itself. */
  readonly fields: readonly string[] | null;
  readonly where: Where;
  /** Number of rows, from the first; null = all. */
  readonly limit: number | null;
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
}

/** In `_fields`: all columns. */
export const ALL_COLUMNS = '*';

/**
 * The rows of a normalised payload, filtered, pivoted and reduced to the columns that were chosen, else to the concise
 * ones. Null for a payload without rows at `x-items`.
 */
export function viewRows(
  json: Buffer,
  { payload, view }: Pick<Tool, 'payload' | 'view'>,
  { fields, where, limit }: RowChoice,
): ShownRows | null {
  const pivot = fields?.some((name) => isRaw(view.pivot, name)) ? null : view.pivot;
  const chosen = fields?.includes(ALL_COLUMNS) ? null : (fields ?? view.concise);
  const read = readTable(json, payload, wantedColumns(chosen, pivot, where));
  if (!read) return null;
  const before = filterRows(read, where, view.columns);
  const pivoted = pivot ? pivotTable(before, pivot) : before;
  const isPivoted = pivoted !== before;
  const table = isPivoted ? filterRows(pivoted, where, view.columns) : pivoted;
  const { columns, indexes } = chooseColumns(table, chosen, view.columns);
  const kept = limit === null ? table.rows : table.rows.slice(0, limit);
  return {
    columns,
    rows: kept.map((row) => indexes.map((index) => row[index] ?? '')),
    matching: table.rows.length,
    isPivoted,
  };
}

type RawPivot = Tool['view']['pivot'];

/** Whether a column is there only as long as nothing is pivoted. */
const isRaw = (pivot: RawPivot, name: string): boolean =>
  pivot !== null && (name === pivot.category || name === pivot.value);

/** The columns that must be read; null = all. With a pivot, the chosen ones may be quantities. */
function wantedColumns(
  chosen: readonly string[] | null,
  pivot: RawPivot,
  where: Where,
): ReadonlySet<string> | null {
  if (pivot) return new Set([...pivot.rows, pivot.category, pivot.value, ...where.keys()]);
  return chosen && new Set([...chosen, ...where.keys()]);
}

type Facts = Readonly<Record<string, ColumnFacts>>;

/** Keeps the rows that meet the conditions on columns that the table has. */
function filterRows(table: Table, where: Where, facts: Facts): Table {
  const conditions = [...where].flatMap(([name, condition]) => {
    const index = table.columns.indexOf(name);
    return index < 0 ? [] : [{ index, condition, codes: facts[name]?.codes ?? null }];
  });
  if (conditions.length === 0) return table;
  const rows = table.rows.filter((row) =>
    conditions.every(({ index, condition, codes }) => {
      const text = textOf(row[index] ?? '');
      const meaning = codes?.[text];
      return condition(text) || (meaning !== undefined && condition(meaning));
    }),
  );
  return { columns: table.columns, rows };
}

function chooseColumns(table: Table, chosen: readonly string[] | null, facts: Facts) {
  const present = chosen?.filter((name) => table.columns.includes(name)) ?? [];
  // A response may lack all columns of a short list: an older form of the data is better than nothing.
  const names = present.length > 0 ? present : table.columns;
  return {
    columns: names.map((name) => ({ name, ...(facts[name] ?? NOTHING_KNOWN) })),
    indexes: names.map((name) => table.columns.indexOf(name)),
  };
}

const NOTHING_KNOWN: ColumnFacts = { title: null, unit: null, codes: null };
