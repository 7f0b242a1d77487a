import type { ArgumentIssue } from '../platform/kernel/error.ts';
import { ROW_ARGUMENTS } from '../tools/compile/compile-context.ts';
import { MAX_FIELDS } from '../tools/compile/compile-payload.ts';
import { hasRows, type Tool } from '../tools/model.ts';
import {
  type Aggregation,
  type KnownColumns,
  type ReadAggregation,
  readAggregation,
  resultNames,
} from './view/aggregation.ts';
import { ALL_COLUMNS, type RowChoice } from './view/view-rows.ts';
import { whereIssues, whereOf } from './view/where.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** What a caller gets of the rows: the payload, a table of its rows, or both. */
export type ResultForm = 'data' | 'table' | 'both';

const NO_ISSUES: readonly ArgumentIssue[] = [];
const NONE: readonly string[] = [];

/**
 * What is wrong with the row arguments beyond the schema. A tool whose rows are not described accepts every column.
 * `varied`: columns that the rows get besides their own.
 */
export function rowArgumentIssues(
  tool: Tool,
  args: Arguments,
  view: unknown,
  varied: readonly string[] = NONE,
): readonly ArgumentIssue[] {
  if (!hasRows(tool.payload)) return NO_ISSUES;
  const { _fields: fields, _where: where, _link: link } = args;
  const isAggregated = hasAggregation(args);
  if ([view, fields, where, link].every((each) => each === undefined) && !isAggregated) {
    return NO_ISSUES;
  }
  const read = isAggregated ? aggregationOf(tool, args, varied) : null;
  const shown = read?.aggregation
    ? resultColumns(read, read.aggregation)
    : knownColumns(tool, varied);
  return [
    ...(link === true && !mayKeepRows(tool) ? [PERSONAL] : []),
    ...(view === undefined || isView(view)
      ? []
      : [{ path: '/_view', message: 'must be data or table.' }]),
    ...(read?.issues ?? []),
    ...(Array.isArray(fields) ? unknownFields(shown, fields.slice(0, MAX_FIELDS)) : []),
    ...(where === undefined ? [] : whereIssues(where, knownColumns(tool, varied))),
  ];
}

/** Whether a call groups, calculates or sorts. */
const hasAggregation = ({ _group: group, _calc: calc, _sort: sort }: Arguments): boolean =>
  group !== undefined || calc !== undefined || sort !== undefined;

/** The columns of groups; null if they are not certain. */
const resultColumns = ({ issues }: ReadAggregation, aggregation: Aggregation): string[] | null =>
  issues.length > 0 ? null : resultNames(aggregation);

const aggregationOf = (tool: Tool, args: Arguments, varied: readonly string[]): ReadAggregation =>
  readAggregation(args, columnsToGroup(tool, varied));

/** Where a tool takes personal data, only columns with a fixed vocabulary cannot hold any. */
const columnsToGroup = (tool: Tool, varied: readonly string[]): KnownColumns => ({
  names: knownColumns(tool, varied),
  isPersonal: (name) =>
    tool.personal.length > 0 &&
    !varied.includes(name) &&
    !(Object.hasOwn(tool.view.columns, name) && tool.view.columns[name]?.codes),
});

/** Whether the rows of a tool may be kept as a file: personal data are kept nowhere. */
export const mayKeepRows = ({ personal }: Tool): boolean => personal.length === 0;

const PERSONAL: ArgumentIssue = {
  path: '/_link',
  message: 'is not possible: this tool handles personal data, which the gateway does not keep.',
};

/** The columns of a tool's rows, and of its pivot; null if its rows are not described. */
function knownColumns(
  { payload, view }: Tool,
  varied: readonly string[],
): readonly string[] | null {
  if (payload.columns === null) return null;
  const ofPivot = view.pivot ? Object.keys(view.columns) : NONE;
  return [...new Set([...varied, ...payload.columns, ...ofPivot])];
}

function unknownFields(
  columns: readonly string[] | null,
  fields: readonly unknown[],
): ArgumentIssue[] {
  if (columns === null) return [];
  const known = new Set<unknown>([...columns, ALL_COLUMNS]);
  const unknown = [...fields.keys()].filter((index) => !known.has(fields[index]));
  // The columns are listed once, however many names are unknown.
  return unknown.map((index, nth) => ({
    path: `/_fields/${index}`,
    message:
      nth === 0 ? `is not a column. Columns: ${columns.join(', ')}.` : 'is not a column either.',
  }));
}

/** The rows that valid arguments choose; null for all rows and columns. `varied` as of `rowArgumentIssues`. */
export function rowChoiceOf(
  tool: Tool,
  args: Arguments,
  varied: readonly string[] = NONE,
): RowChoice | null {
  const { _fields: fields, _limit: limit, _where: where } = args;
  const isAggregated = hasAggregation(args);
  if (fields === undefined && limit === undefined && where === undefined && !isAggregated) {
    return null;
  }
  const { aggregation = null, sort = [] } = isAggregated ? aggregationOf(tool, args, varied) : {};
  return {
    fields: Array.isArray(fields) ? fields : null,
    where: whereOf(where),
    limit: typeof limit === 'number' ? limit : null,
    ...(aggregation && { aggregation }),
    ...(sort.length > 0 && { sort }),
  };
}

/** Whether a choice has no place in the payload of a tool: groups, and an order of rows that are pivoted. */
export const needsTable = (choice: RowChoice | null, { view }: Tool): boolean =>
  choice?.aggregation !== undefined || (choice?.sort !== undefined && view.pivot !== null);

/** What a call shows, if its caller does not say it with `_view`. */
export const resultFormOf = (view: unknown, defaultForm: ResultForm): ResultForm =>
  isView(view) ? view : defaultForm;

const isView = (view: unknown): view is 'data' | 'table' => view === 'data' || view === 'table';

/** Removes the row arguments: the upstream's response does not depend on them. */
export function withoutRowArguments({ payload }: Tool, args: Record<string, unknown>): void {
  if (!hasRows(payload)) return;
  for (const name of ROW_ARGUMENTS) if (args[name] !== undefined) delete args[name];
}
