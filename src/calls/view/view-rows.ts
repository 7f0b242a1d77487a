import { type ArgumentIssue, invalidArguments } from '../../platform/kernel/error.ts';
import { own } from '../../platform/kernel/plain-json.ts';
import type { ColumnFacts, MissingNumbers, Pivot, Tool } from '../../tools/model.ts';
import { type AggregatedRows, createAggregator } from './aggregate.ts';
import { type Aggregation, columnsOf, unknownColumn } from './aggregation.ts';
import { readTable } from './read-table.ts';
import { type SortKey, sortRows } from './sort-rows.ts';
import {
  type Cell,
  meaningOf,
  type ShownColumn,
  type ShownRows,
  type Table,
  textOf,
} from './table.ts';
import type { Where } from './where.ts';

/** What a caller chose of the rows, in the order in which it applies. */
export interface RowChoice {
  readonly where: Where;
  /** Groups and their figures in place of the rows. */
  readonly aggregation?: Aggregation;
  readonly sort?: readonly SortKey[];
  /** Columns; null = those that the tool shows by itself. */
  readonly fields: readonly string[] | null;
  /** Number of rows, from the first; null = all. */
  readonly limit: number | null;
}

/** In `_fields`: all columns. */
export const ALL_COLUMNS = '*';

/** What is read of a tool to view its rows. */
export type ViewedTool = Pick<Tool, 'name' | 'payload' | 'view'>;

/**
 * The rows of a normalised payload, filtered, pivoted, grouped, sorted and reduced to the columns that were chosen, else to
 * the concise ones. Null for a payload without rows at `x-items`. Throws `invalid_arguments` for columns that cannot be
 * known before the response.
 */
export function viewRows(json: Buffer, tool: ViewedTool, choice: RowChoice): ShownRows | null {
  const { aggregation, sort = [] } = choice;
  const read = readRows(json, tool, choice);
  if (!read) return null;
  const { table, isPivoted, ...beside } = read;
  if (aggregation) {
    const groups = aggregate(table, aggregation, tool);
    return { ...showGroups(groups, choice, tool), isPivoted, ...beside };
  }
  const sorted = sortRows(table, sort, tool.name);
  const shown = chooseColumns(sorted, chosenFields(choice, tool), tool.view.columns);
  return { ...showRows(sorted.rows, shown, choice), isPivoted, ...beside };
}

/** Groups in the order, number and columns that were chosen. */
export function showGroups(
  { columns, rows, missing }: AggregatedRows,
  choice: RowChoice,
  { name: tool }: Pick<Tool, 'name'>,
): ShownRows {
  const table = { columns: columns.map(({ name }) => name), rows };
  const sorted = sortRows(table, choice.sort ?? [], tool);
  const shown = showRows(sorted.rows, chooseResults(columns, choice.fields), choice);
  return { ...shown, isPivoted: false, notes: missing };
}

/** Columns with their places in the rows. */
interface ChosenColumns {
  readonly columns: readonly ShownColumn[];
  readonly indexes: readonly number[];
}

function showRows(
  rows: Table['rows'],
  { columns, indexes }: ChosenColumns,
  { limit }: RowChoice,
): Pick<ShownRows, 'columns' | 'rows' | 'matching'> {
  const kept = limit === null ? rows : rows.slice(0, limit);
  return {
    columns,
    rows: kept.map((row) => indexes.map((index) => row[index] ?? '')),
    matching: rows.length,
  };
}

/** Rows before they are grouped and sorted, with the columns that this and the caller's choice need. */
export interface ReadRows extends Pick<ShownRows, 'beside'> {
  readonly table: Table;
  readonly isPivoted: boolean;
}

/** The rows of a normalised payload that meet the conditions. Null and errors as of `viewRows`. */
export function readRows(json: Buffer, tool: ViewedTool, choice: RowChoice): ReadRows | null {
  const { payload, view } = tool;
  const { where } = choice;
  const pivot = showsRaw(choice, tool) ? null : view.pivot;
  const read = readTable(json, payload, wantedColumns(neededColumns(choice, tool), pivot, where));
  if (!read) return null;
  const before = filterRows(withoutMissing(read, view), where, view.columns);
  const pivoted = pivot ? pivotTable(before, pivot) : before;
  const isPivoted = pivoted !== before;
  const table = isPivoted ? filterRows(pivoted, where, view.columns) : pivoted;
  const named = namedColumns(choice, tool);
  if (named.length > 0 && read.rows.length > 0) {
    const known = isPivoted ? pivoted.columns : columnsBeside(read, tool);
    const all = () => (isPivoted ? null : readTable(json, payload, null));
    refuseUnknown(named, known, () => [...(all()?.columns ?? []), ...known], tool.name);
  }
  return { table, isPivoted, ...(read.beside === undefined ? {} : { beside: read.beside }) };
}

const chosenFields = ({ fields }: RowChoice, { view }: ViewedTool): readonly string[] | null =>
  fields?.includes(ALL_COLUMNS) ? null : (fields ?? view.concise);

/** The columns that a choice reads, apart from its conditions; null = all. */
function neededColumns(choice: RowChoice, tool: ViewedTool): readonly string[] | null {
  if (choice.aggregation) return columnsOf(choice.aggregation);
  const chosen = chosenFields(choice, tool);
  return chosen && choice.sort ? [...chosen, ...choice.sort.map(({ column }) => column)] : chosen;
}

/** Whether a choice is of rows as the upstream has them, so that nothing is pivoted. */
function showsRaw({ aggregation, sort = [], fields }: RowChoice, tool: ViewedTool): boolean {
  const { payload, view } = tool;
  const { pivot } = view;
  if (pivot === null) return false;
  if (aggregation) {
    const raw = payload.columns?.filter((name) => !pivot.rows.includes(name)) ?? [];
    return columnsOf(aggregation).some((name) => isRaw(pivot, name) || raw.includes(name));
  }
  return [...(fields ?? []), ...sort.map(({ column }) => column)].some((name) =>
    isRaw(pivot, name),
  );
}

/** The columns that must exist, each with the path of the argument that names it. */
function namedColumns(
  { aggregation, sort = [], where, fields }: RowChoice,
  { payload }: ViewedTool,
): (readonly [path: string, column: string])[] {
  const of = (path: string, named: readonly { readonly column: string | null }[]) =>
    named.flatMap(({ column }, index) =>
      column === null ? [] : [[`/${path}/${index}`, column] as const],
    );
  const chosen = aggregation
    ? [...of('_group', aggregation.group), ...of('_calc', aggregation.calc)]
    : of('_sort', sort);
  // Where a description knows the columns, these arguments were checked before the call.
  if (!payload.finds) return chosen;
  const kept = (aggregation ? [] : (fields ?? [])).filter((name) => name !== ALL_COLUMNS);
  const conditions = [...where.keys()].map((name) => [`/_where/${name}`, name] as const);
  return [
    ...chosen,
    ...conditions,
    ...of(
      '_fields',
      kept.map((column) => ({ column })),
    ),
  ];
}

/** The columns that rows which are not pivoted have, or may have. */
const columnsBeside = (read: Table, { payload, view }: ViewedTool): string[] => [
  ...read.columns,
  ...(payload.columns ?? payload.finds?.columns ?? []),
  ...(view.pivot ? [] : Object.keys(view.columns)),
];

/** A column that is in no row and no description is a mistake, not a column without values. `all`: those to choose from. */
function refuseUnknown(
  named: readonly (readonly [path: string, column: string])[],
  known: readonly string[],
  all: () => readonly string[],
  tool: string,
): void {
  if (named.every(([, column]) => known.includes(column))) return;
  const columns = [...new Set(all())];
  const issues = named.flatMap(([path, column]): ArgumentIssue[] => {
    const message = unknownColumn(column, columns);
    return message === undefined ? [] : [{ path, message }];
  });
  throw invalidArguments(tool, issues);
}

function aggregate(table: Table, aggregation: Aggregation, tool: ViewedTool) {
  const aggregator = createAggregator(aggregation, tool);
  aggregator.add(table);
  return aggregator.result();
}

const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

/** The table without the numbers that stand for no value; a text such as `50.0mm 이상` is a value. */
function withoutMissing(table: Table, { missing = {} }: Tool['view']): Table {
  const rules = table.columns.map((name) => own(missing, name));
  if (!rules.some(Boolean)) return table;
  const rows = table.rows.map((row) =>
    row.map((cell, index) => {
      const rule = rules[index] as MissingNumbers | undefined;
      const text = rule ? textOf(cell).trim() : '';
      if (!rule || !NUMBER.test(text)) return cell;
      return Number(text) >= rule.from || Number(text) <= rule.to ? '' : cell;
    }),
  );
  return { columns: table.columns, rows };
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

const NOTHING_KNOWN: ColumnFacts = { title: null, unit: null, codes: null };

/** What is known of a column: of `constructor`, nothing unless it is described. */
export const factsOf = (name: string, facts: Facts): ColumnFacts =>
  (Object.hasOwn(facts, name) ? facts[name] : undefined) ?? NOTHING_KNOWN;

/** Keeps the rows that meet the conditions on columns that the table has. */
function filterRows(table: Table, where: Where, facts: Facts): Table {
  const conditions = [...where].flatMap(([name, condition]) => {
    const index = table.columns.indexOf(name);
    return index < 0 ? [] : [{ index, condition, codes: factsOf(name, facts).codes }];
  });
  if (conditions.length === 0) return table;
  const rows = table.rows.filter((row) =>
    conditions.every(({ index, condition, codes }) => {
      const text = textOf(row[index] ?? '');
      const meaning = meaningOf(text, codes);
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
    columns: names.map((name) => ({ name, ...factsOf(name, facts) })),
    indexes: names.map((name) => table.columns.indexOf(name)),
  };
}

/** The columns of groups that were chosen. */
function chooseResults(
  all: readonly ShownColumn[],
  fields: readonly string[] | null,
): ChosenColumns {
  const names = fields === null || fields.includes(ALL_COLUMNS) ? null : fields;
  const chosen = names?.flatMap((name) => all.find((column) => column.name === name) ?? []) ?? all;
  return { columns: chosen, indexes: chosen.map((column) => all.indexOf(column)) };
}

/**
 * Turns rows of one quantity each into one row for each time, with a column for each quantity, in the order in which both
 * first appear. The table is returned as it is if it lacks a column of the pivot.
 */
function pivotTable(table: Table, { rows: keys, category, value }: Pivot): Table {
  const at = (name: string): number => table.columns.indexOf(name);
  const [keysAt, categoryAt, valueAt] = [keys.map(at), at(category), at(value)];
  if ([...keysAt, categoryAt, valueAt].includes(-1)) return table;
  /** The column of each quantity. */
  const columnOf = new Map<string, number>();
  const byKey = new Map<string, Cell[]>();
  for (const row of table.rows) {
    const cells = keysAt.map((index) => row[index] ?? '');
    const key = cells.join('\0');
    const target = byKey.get(key) ?? cells;
    if (target === cells) byKey.set(key, cells);
    const quantity = textOf(row[categoryAt] ?? '');
    const index = columnOf.get(quantity) ?? keys.length + columnOf.size;
    columnOf.set(quantity, index);
    while (target.length < index) target.push('');
    target[index] = row[valueAt] ?? '';
  }
  const columns = [...keys, ...columnOf.keys()];
  const rows = [...byKey.values()];
  for (const cells of rows) while (cells.length < columns.length) cells.push('');
  return { columns, rows };
}
