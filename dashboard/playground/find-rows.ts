import type { ToolDetails } from './run-tool.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Where a tool's rows are, as its definition says. */
export interface RowsPlace {
  /** JSON pointer; null if the definition does not say. */
  readonly items: string | null;
  readonly itemWrapper: string | null;
}

/** Deeper lists are not what a reader looks for. */
const MAX_DEPTH = 4;

const isObject = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The rows of a response: where the definition says, else the longest list of objects, else parallel lists as columns
 * (`{time: […], temperature: […]}`). Empty if it has none.
 */
export function findRows(data: unknown, { items, itemWrapper }: RowsPlace): Row[] {
  if (items !== null) {
    const found = at(data, items);
    return Array.isArray(found) ? found.map((row) => toRow(unwrap(row, itemWrapper))) : [];
  }
  const lists = listsIn(data, 0).filter((list) => list.some(isObject));
  const longest = lists.sort((a, b) => b.length - a.length)[0];
  return longest?.map(toRow) ?? parallelRows(data, 0);
}

/** A table as `_view: "table"`, `_group` and `_over` make it. */
export interface AnswerTable {
  readonly rows: Row[];
  readonly headings: ToolDetails['headings'];
}

/** Reads a table; null if the data have another form. */
export function readTable(data: unknown): AnswerTable | null {
  if (!isObject(data)) return null;
  const { columns, rows } = data;
  if (!Array.isArray(columns) || !Array.isArray(rows) || !rows.every(Array.isArray)) return null;
  if (!columns.every((column) => isObject(column) && typeof column['name'] === 'string'))
    return null;
  const names: string[] = columns.map(({ name }) => name);
  return {
    rows: rows.map((row) => Object.fromEntries(names.map((name, nth) => [name, row[nth]]))),
    headings: Object.fromEntries(
      columns.map(({ name, title = null, unit = null }) => [name, { title, unit, codes: null }]),
    ),
  };
}

function at(data: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, token) => memberOf(value, token), data);
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;

const unwrap = (row: unknown, wrapper: string | null): unknown =>
  wrapper === null ? row : (memberOf(row, wrapper) ?? row);

const toRow = (value: unknown): Row => (isObject(value) ? value : { value });

function listsIn(value: unknown, depth: number): unknown[][] {
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return [value];
  if (!isObject(value)) return [];
  return Object.values(value).flatMap((member) => listsIn(member, depth + 1));
}

/** The object with the longest lists of equal length, turned round. */
function parallelRows(value: unknown, depth: number): Row[] {
  if (!isObject(value) || depth > MAX_DEPTH) return [];
  const columns = Object.entries(value).filter(
    (entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > 1,
  );
  const length = columns[0]?.[1].length;
  if (columns.length > 1 && columns.every(([, list]) => list.length === length)) {
    return (columns[0]?.[1] ?? []).map((_, row) =>
      Object.fromEntries(columns.map(([name, list]) => [name, list[row]])),
    );
  }
  return Object.values(value)
    .map((member) => parallelRows(member, depth + 1))
    .reduce((longest, rows) => (rows.length > longest.length ? rows : longest), []);
}

/** Columns beyond these are left to the tree. */
const MAX_COLUMNS = 60;
/** Rows whose members are read for the columns; a response of 10 MB has many of the same shape. */
const SAMPLED_ROWS = 200;

/** The names of the columns, in the order in which they appear. */
export const columnsOf = (rows: readonly Row[]): string[] =>
  [...new Set(rows.slice(0, SAMPLED_ROWS).flatMap((row) => Object.keys(row)))].slice(
    0,
    MAX_COLUMNS,
  );
