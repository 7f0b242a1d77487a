import { setImmediate as nextTurn } from 'node:timers/promises';
import { type GatewayError, invalidArguments } from '../../platform/kernel/error.ts';
import type { Arguments } from '../choose-rows.ts';
import { withFoundRows } from '../project-rows.ts';
import type { ResultFile, ResultWriter } from '../results/result-store.ts';
import { type Aggregator, createAggregator } from '../view/aggregate.ts';
import { sortRows } from '../view/sort-rows.ts';
import type { Cell, ShownColumn, ShownRows, Table } from '../view/table.ts';
import {
  ALL_COLUMNS,
  factsOf,
  type RowChoice,
  readRows,
  showGroups,
  type ViewedTool,
} from '../view/view-rows.ts';
import type { HeldPages } from './held-pages.ts';
import { joinPages } from './join-pages.ts';

/** Rows of a range that a result holds itself; its file has all of them. */
export const MAX_SHOWN_ROWS = 5000;

/** Columns of a range: each row has a cell for every column before its last. */
export const MAX_COLUMNS = 500;

export interface GatherOptions {
  readonly tool: ViewedTool;
  /** The arguments that vary: the columns in front. */
  readonly names: readonly string[];
  readonly choice: RowChoice;
  /** Opens the file, once there are more rows than a result holds. Undefined where rows may not be kept. */
  readonly openFile?: (() => ResultWriter) | undefined;
  readonly onError: (error: unknown) => void;
}

/** The rows of a range, as far as a result holds them. */
export interface GatheredRows {
  readonly table: ShownRows;
  /** All rows, if they are no more than a result holds. */
  readonly all: Pick<ShownRows, 'columns' | 'rows'> | undefined;
  readonly file: ResultFile | undefined;
}

/**
 * Puts the rows of units together, one unit after another: the values of what varies in front, then every column that a row
 * has. Groups them, or keeps the first of them and passes all on to a file as soon as they are more than a result holds.
 */
export class RowGatherer {
  readonly #options: GatherOptions;
  /** The choice for one page: without what concerns all rows, or the columns in front. */
  readonly #pageChoice: RowChoice;
  readonly #aggregator: Aggregator | undefined;
  readonly #columns = new Map<string, number>();
  /** By names of the upstream's, the columns that got another name. */
  readonly #renamed = new Map<string, string>();
  #kept: (readonly Cell[])[] = [];
  #file: ResultWriter | undefined;
  #hasFile = false;
  #matching = 0;

  constructor(options: GatherOptions) {
    const { tool, names, choice } = options;
    this.#options = options;
    this.#pageChoice = pageChoiceOf(choice, names);
    this.#aggregator = choice.aggregation && createAggregator(choice.aggregation, tool);
    for (const name of names) this.#columns.set(name, this.#columns.size);
  }

  /** Adds the rows of a unit, with other work between its pages. Rejects with `invalid_arguments` as `viewRows` throws it. */
  async add(varied: Arguments, pages: HeldPages): Promise<void> {
    const { tool, names, choice } = this.#options;
    const front = names.map((name) => JSON.stringify(varied[name] ?? null));
    if (!names.every((name, at) => matches(choice, name, front[at] ?? ''))) return;
    const isJoined = tool.view.pivot !== null && pages.count > 1;
    for await (const page of isJoined ? joinPages(pages, tool.payload) : pages.read()) {
      const read = readRows(page.json, withFoundRows(tool, page), this.#pageChoice);
      if (read) await this.#take(front, read.table);
      await nextTurn();
    }
  }

  async #take(front: readonly Cell[], { columns, rows }: Table): Promise<void> {
    const places = columns.map((name) => this.#placeOf(name));
    const added = rows.map((row) => {
      const cells = [...front];
      for (const [at, place] of places.entries()) {
        while (cells.length < place) cells.push('');
        cells[place] = row[at] ?? '';
      }
      return cells;
    });
    if (this.#aggregator) this.#aggregator.add({ columns: [...this.#columns.keys()], rows: added });
    else await this.#keep(added);
  }

  async #keep(added: readonly (readonly Cell[])[]): Promise<void> {
    this.#matching += added.length;
    if (this.#matching > MAX_SHOWN_ROWS && !this.#hasFile) {
      this.#hasFile = true;
      this.#file = this.#options.openFile?.();
      await this.#write((file) => file.append(this.#kept));
    }
    await this.#write((file) => file.append(added));
    const { choice } = this.#options;
    // Those that the file has need not be here for it.
    const most = this.#hasFile ? mostRows(choice) : MAX_SHOWN_ROWS;
    const free = choice.sort ? added.length : Math.max(0, most - this.#kept.length);
    for (const row of added.slice(0, free)) this.#kept.push(row);
    if (this.#kept.length >= most * 2) this.#kept = [...this.#sorted().slice(0, most)];
  }

  /** Rows that cannot be kept as a file still belong to the answer. */
  async #write<T>(work: (file: ResultWriter) => Promise<T>): Promise<T | undefined> {
    const file = this.#file;
    try {
      return file && (await work(file));
    } catch (error) {
      this.#options.onError(error);
      this.#file = undefined;
      await file?.abort();
      return undefined;
    }
  }

  #sorted(): readonly (readonly Cell[])[] {
    const { choice, tool } = this.#options;
    const table = { columns: [...this.#columns.keys()], rows: this.#kept };
    return sortRows(table, choice.sort ?? [], tool.name).rows;
  }

  /** The column of the rows in which a name of the upstream's stands: never the place of what varies. */
  #placeOf(name: string): number {
    const own = this.#nameOf(name);
    const place = this.#columns.get(own) ?? this.#columns.size;
    if (place >= MAX_COLUMNS) throw this.#tooWide();
    this.#columns.set(own, place);
    return place;
  }

  /** Without the name of another column: `month` of a row becomes `month_row`, or `month_row_row` beside such a column. */
  #nameOf(name: string): string {
    const renamed = this.#renamed.get(name);
    if (renamed !== undefined) return renamed;
    const isRenamed = [...this.#renamed.values()].includes(name);
    if (!isRenamed && !this.#options.names.includes(name)) return name;
    let own = `${name}_row`;
    while (this.#columns.has(own)) own += '_row';
    this.#renamed.set(name, own);
    return own;
  }

  #tooWide(): GatewayError {
    const message = `must name the wanted columns: the rows of this range have more than ${MAX_COLUMNS}.`;
    return invalidArguments(this.#options.tool.name, [{ path: '/_fields', message }]);
  }

  async finish(): Promise<GatheredRows> {
    if (this.#aggregator) return this.#groups(this.#aggregator);
    const { tool, names, choice } = this.#options;
    const all = [...this.#columns.keys()];
    const columns = all.map((name) => ({ name, ...factsOf(name, tool.view.columns) }));
    const shown = shownColumns(all, names, { ...tool.view, fields: choice.fields });
    const rows = this.#sorted();
    const table = this.#shown(columns, shown, rows, this.#matching);
    if (this.#hasFile)
      return { table, all: undefined, file: await this.#write((file) => file.finish(columns)) };
    return { table, all: chosenOf({ columns, rows }, names, choice.fields), file: undefined };
  }

  #groups(aggregator: Aggregator): GatheredRows {
    const { tool, choice } = this.#options;
    const groups = aggregator.result();
    const limit = mostRows(choice);
    return {
      table: showGroups(groups, { ...choice, limit }, tool),
      all: showGroups(groups, { ...choice, limit: null }, tool),
      file: undefined,
    };
  }

  #shown(
    columns: readonly ShownColumn[],
    places: readonly number[],
    rows: readonly (readonly Cell[])[],
    matching: number,
  ): ShownRows {
    const most = mostRows(this.#options.choice);
    return {
      columns: places.flatMap((at) => columns[at] ?? []),
      rows: rows.slice(0, most).map((row) => places.map((at) => row[at] ?? '')),
      matching,
      isPivoted: false,
    };
  }

  /** Deletes what was passed on. Never rejects. */
  async abort(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.abort();
  }
}

const mostRows = ({ limit }: RowChoice): number =>
  Math.min(limit ?? MAX_SHOWN_ROWS, MAX_SHOWN_ROWS);

/** All rows with the columns that were chosen, else all. */
function chosenOf(
  { columns, rows }: Pick<ShownRows, 'columns' | 'rows'>,
  names: readonly string[],
  chosen: readonly string[] | null,
): Pick<ShownRows, 'columns' | 'rows'> {
  if (chosen === null) return { columns, rows };
  const places = shownColumns(
    columns.map(({ name }) => name),
    names,
    { fields: chosen },
  );
  return {
    columns: places.flatMap((at) => columns[at] ?? []),
    rows: rows.map((row) => places.map((at) => row[at] ?? '')),
  };
}

function pageChoiceOf(
  { where, aggregation, sort = [], fields }: RowChoice,
  names: readonly string[],
): RowChoice {
  const isOwn = (column: string | null): boolean => column === null || !names.includes(column);
  const conditions = new Map([...where].filter(([name]) => isOwn(name)));
  if (aggregation) {
    const [group, calc] = [
      aggregation.group.filter(({ column }) => isOwn(column)),
      aggregation.calc.filter(({ column }) => isOwn(column)),
    ];
    return { where: conditions, aggregation: { group, calc }, fields: null, limit: null };
  }
  // What is named beside all columns may be one that a pivot would take away.
  const all = fields === null || fields.includes(ALL_COLUMNS) ? [ALL_COLUMNS] : [];
  return {
    where: conditions,
    sort: sort.filter(({ column }) => isOwn(column)),
    fields: [...all, ...(fields ?? []).filter(isOwn)],
    limit: null,
  };
}

const matches = ({ where }: RowChoice, name: string, cell: Cell): boolean => {
  const condition = where.get(name);
  return condition === undefined || condition(cell.startsWith('"') ? JSON.parse(cell) : cell);
};

/** The places of the columns that are shown: chosen ones, else what varies and the concise ones, else all. */
function shownColumns(
  all: readonly string[],
  names: readonly string[],
  {
    fields,
    concise,
  }: { readonly fields: readonly string[] | null; readonly concise?: readonly string[] | null },
): number[] {
  const before = names.filter((name) => !fields?.includes(name));
  const others = fields ?? concise?.filter((name) => !names.includes(name)) ?? [];
  const present = others.filter((name) => all.includes(name));
  if (present.length === 0 || fields?.includes(ALL_COLUMNS)) return [...all.keys()];
  return [...before, ...present].map((name) => all.indexOf(name));
}
