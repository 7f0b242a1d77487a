import { type GatewayError, invalidArguments } from '../../platform/kernel/error.ts';
import { own } from '../../platform/kernel/plain-json.ts';
import { isoTimeOf } from '../../platform/kernel/time.ts';
import type { ColumnFacts, Tool } from '../../tools/model.ts';
import type { Aggregation, DateUnit, Figure, GroupKey } from './aggregation.ts';
import { ColumnFigures, type Room, type WantedFigures, wantedFigures } from './column-figures.ts';
import { type Cell, type ShownColumn, type Table, textOf } from './table.ts';

export const MAX_GROUPS = 10_000;
/** Numbers that are kept for medians. */
export const MAX_MEDIAN_VALUES = 2_000_000;
/** Characters of the groups, and of their first, last, least and greatest values. */
export const MAX_KEPT_CHARACTERS = 16_000_000;

/** Groups and their figures, as a table. */
export interface AggregatedRows {
  readonly columns: readonly ShownColumn[];
  /** In the order in which the groups first appear. */
  readonly rows: readonly (readonly Cell[])[];
  /** A sentence for each column of whose values some are left out. */
  readonly missing: readonly string[];
}

/** Groups rows that arrive table by table, and keeps none of them. */
export interface Aggregator {
  /** Throws `invalid_arguments` if the groups become too many, or what is kept of them too large. */
  add(table: Table): void;
  result(): AggregatedRows;
}

interface Group {
  readonly cells: readonly Cell[];
  rows: number;
  /** By calculated column. */
  readonly figures: readonly ColumnFigures[];
}

/** A column of which figures are calculated. */
interface Calculated {
  readonly column: string;
  readonly wanted: WantedFigures;
}

/** Creates the aggregation of one call of a tool. */
export function createAggregator(
  aggregation: Aggregation,
  tool: Pick<Tool, 'name' | 'view'>,
): Aggregator {
  const { group: keys } = aggregation;
  const calculated = calculatedOf(aggregation);
  const room = createRoom(tool.name);
  const groups = new Map<string, Group>();
  const undated = keys.map(() => 0);
  let total = 0;

  function open(key: string, cells: readonly Cell[]): Group {
    if (groups.size >= MAX_GROUPS) throw tooManyGroups(tool.name);
    room.takeCharacters(cells.reduce((length, cell) => length + cell.length, key.length));
    const figures = calculated.map(({ wanted }) => new ColumnFigures(wanted, room));
    const group = { cells, rows: 0, figures };
    groups.set(key, group);
    return group;
  }

  function addRow(row: readonly Cell[], keyAt: readonly number[], valueAt: readonly number[]) {
    const cells = keys.map(({ unit }, at) => groupCell(row[keyAt[at] ?? -1] ?? '', unit));
    for (const [at, cell] of cells.entries()) if (cell === '') undated[at] = (undated[at] ?? 0) + 1;
    const key = keyOf(cells);
    const group = groups.get(key) ?? open(key, cells);
    group.rows++;
    for (const [at, figures] of group.figures.entries()) figures.add(row[valueAt[at] ?? -1] ?? '');
  }

  // Without groups, the figures of no rows are a row, too.
  if (keys.length === 0) open(keyOf([]), []);
  return {
    add({ columns, rows }) {
      const [keyAt, valueAt] = [keys, calculated].map((named) =>
        named.map(({ column }) => columns.indexOf(column)),
      );
      for (const row of rows) addRow(row, keyAt ?? [], valueAt ?? []);
      total += rows.length;
    },
    result: () =>
      resultOf(
        { aggregation, calculated, groups: [...groups.values()], undated, total },
        tool.view,
      ),
  };
}

const calculatedOf = ({ calc }: Aggregation): Calculated[] =>
  [...new Set(calc.flatMap(({ column }) => column ?? []))].map((column) => {
    const functions = calc.filter((figure) => figure.column === column);
    return { column, wanted: wantedFigures(functions.map((figure) => figure.function)) };
  });

const keyOf = (cells: readonly Cell[]): string =>
  JSON.stringify(cells.map((cell) => textOf(cell).trim()));

/** The year, month and day that begin a time in ISO 8601. Digits that begin otherwise are no date, but seconds or a number. */
const DATE = /^((?:1[89]|2\d)\d\d)(-\d\d)?(-\d\d)?/;

/** The value by which a cell is grouped; `''` if it is missing or not a date. */
function groupCell(cell: Cell, unit: DateUnit | null): Cell {
  const text = textOf(cell).trim();
  if (unit === null) return text === '' ? '' : cell;
  const [day, year, month = '', dayOfMonth = ''] = DATE.exec(isoTimeOf(text, null) ?? '') ?? [];
  const needed = { year, month: month && year + month, day: dayOfMonth && day }[unit];
  return needed ? JSON.stringify(needed) : '';
}

function createRoom(tool: string): Room {
  let [characters, values] = [0, 0];
  return {
    takeCharacters(count) {
      characters += count;
      if (characters > MAX_KEPT_CHARACTERS) throw tooLarge(tool);
    },
    takeMedianValues(count) {
      values += count;
      if (values > MAX_MEDIAN_VALUES) throw tooManyValues(tool);
    },
  };
}

const tooManyGroups = (tool: string): GatewayError =>
  refuse(
    tool,
    '/_group',
    `makes more than ${inWords(MAX_GROUPS)} groups. Group by fewer columns, by a larger part of a date, or keep fewer rows with _where.`,
  );

const tooLarge = (tool: string): GatewayError =>
  refuse(
    tool,
    '/_group',
    'makes groups with too much text. Name columns with shorter values, or keep fewer rows with _where.',
  );

const tooManyValues = (tool: string): GatewayError =>
  refuse(
    tool,
    '/_calc',
    `needs more than ${inWords(MAX_MEDIAN_VALUES)} numbers for its medians. Take mean, or keep fewer rows with _where.`,
  );

const refuse = (tool: string, path: string, message: string): GatewayError =>
  invalidArguments(tool, [{ path, message }]);

const inWords = (number: number): string => number.toLocaleString('en');

interface Totals {
  readonly aggregation: Aggregation;
  readonly calculated: readonly Calculated[];
  readonly groups: readonly Group[];
  /** By group key, the rows whose value is missing or not a date. */
  readonly undated: readonly number[];
  /** Rows of all groups. */
  readonly total: number;
}

function resultOf(totals: Totals, { columns: known }: Tool['view']): AggregatedRows {
  const { aggregation, calculated, groups } = totals;
  const { group: keys, calc } = aggregation;
  const counted = calculated.map((_, at) => countedIn(groups, at));
  const placed = calc.map(({ column }) => calculated.findIndex((one) => one.column === column));
  const rows = groups.map(({ cells, rows: count, figures }) => [
    ...cells,
    ...calc.map((figure, at) => {
      const index = placed[at] ?? -1;
      return figures[index]?.cell(figure.function, counted[index]?.numbers === 0) ?? String(count);
    }),
  ]);
  const factsOf = (name: string): ColumnFacts =>
    (own(known, name) as ColumnFacts | undefined) ?? NOTHING_KNOWN;
  const columns = [
    ...keys.map((key) => keyColumn(key, factsOf(key.column))),
    ...calc.map((figure) => figureColumn(figure, factsOf(figure.column ?? ''))),
  ];
  return { columns, rows, missing: [...undatedNotes(totals), ...missingNotes(totals, counted)] };
}

const NOTHING_KNOWN: ColumnFacts = { title: null, unit: null, codes: null };

function keyColumn({ name, unit }: GroupKey, facts: ColumnFacts): ShownColumn {
  if (unit === null) return { name, ...facts };
  return { ...NOTHING_KNOWN, name, title: facts.title && `${unit} of ${facts.title}` };
}

/** The unit of a column holds for all of its figures but a number of values, the codes for those that are its values. */
function figureColumn({ name, function: calc }: Figure, facts: ColumnFacts): ShownColumn {
  const isValue = calc === 'min' || calc === 'max' || calc === 'first' || calc === 'last';
  return {
    name,
    title: facts.title && `${calc} of ${facts.title}`,
    unit: calc === 'count' ? null : facts.unit,
    codes: isValue ? facts.codes : null,
  };
}

/** Of a column in all groups. */
interface Counted {
  readonly numbers: number;
  readonly values: number;
}

function countedIn(groups: readonly Group[], at: number): Counted {
  let [numbers, values] = [0, 0];
  for (const { figures } of groups) {
    numbers += figures[at]?.numbers ?? 0;
    values += figures[at]?.values ?? 0;
  }
  return { numbers, values };
}

function undatedNotes({ aggregation, undated, total }: Totals): string[] {
  return aggregation.group.flatMap(({ column, unit }, at) => {
    const count = undated[at] ?? 0;
    if (unit === null || count === 0) return [];
    return `${share(count, total)} of ${column} are missing or not dates: they are the group without a ${unit}.`;
  });
}

function missingNotes({ calculated, total }: Totals, counted: readonly Counted[]): string[] {
  return calculated.flatMap(({ column, wanted }, at) => {
    const { numbers = 0, values = 0 } = counted[at] ?? {};
    const isTextRange = numbers === 0 && !wanted.computed;
    const count = total - (isTextRange ? values : numbers);
    if (count === 0 || !(wanted.computed || wanted.range)) return [];
    const why = isTextRange ? 'missing' : 'missing or not numbers';
    return `${share(count, total)} of ${column} are ${why}, and left out.`;
  });
}

/** `3 of 120 values`. */
const share = (count: number, total: number): string =>
  `${inWords(count)} of ${inWords(total)} values`;
