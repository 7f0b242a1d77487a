import type { ArgumentFault } from '../platform/kernel/error.ts';
import { MAX_FIELDS } from '../tools/compile/row-arguments.ts';
import type { Tool } from '../tools/model.ts';
import { type RowSelection, selectRows } from '../upstreams/payload/select-rows.ts';
import type { AnsweredCall } from './call-record.ts';
import type { ShownRows } from './tool-call.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** Columns in `_fields` that no row of the tool has; without a description of its rows every name will do. */
export function unknownColumns({ payload }: Tool, args: Arguments): ArgumentFault[] {
  const fields = args['_fields'];
  const { columns } = payload;
  if (!Array.isArray(fields) || columns === null) return [];
  const unknown = [...fields.slice(0, MAX_FIELDS).keys()].filter(
    (index) => !columns.includes(fields[index]),
  );
  // The columns are named once, however many are unknown.
  return unknown.map((index, nth) => ({
    path: `/_fields/${index}`,
    message:
      nth === 0 ? `is not a column. Columns: ${columns.join(', ')}.` : 'is not a column either.',
  }));
}

/** The answer with the rows that checked arguments ask for; the very same when they ask for all. */
export function showRows(tool: Tool, args: Arguments, answered: AnsweredCall): AnsweredCall {
  const selection = selectionOf(args);
  const selected = selection && selectRows(answered.answer.json, tool.payload, selection);
  if (!selected) return answered;
  const { json, rows, omitted, total } = selected;
  const hint = hintOf(tool, args, { returned: rows, omitted, total });
  return {
    ...answered,
    answer: { ...answered.answer, json, rows },
    shownRows: { returned: rows, omitted, total, ...(hint ? { hint } : {}) },
  };
}

function selectionOf({ _fields: fields, _limit: limit }: Arguments): RowSelection | null {
  const wanted = Array.isArray(fields) ? fields : null;
  const most = typeof limit === 'number' ? limit : null;
  return wanted === null && most === null ? null : { fields: wanted, limit: most };
}

const PAGE_NAMES = new Set([
  'pageno',
  'page',
  'pageindex',
  'cpage',
  'curpage',
  'page_no',
  'startcount',
]);

function hintOf(tool: Tool, args: Arguments, { returned, omitted, total }: ShownRows): string {
  const here = returned + omitted;
  const page = tool.parameters.flatMap(({ source }) =>
    source.kind === 'argument' && PAGE_NAMES.has(source.property.toLowerCase())
      ? [source.property]
      : [],
  )[0];
  const next = page && total !== null && total > here ? Number(args[page] ?? 1) + 1 : 0;
  return [
    omitted > 0 ? `${returned} of ${here} rows are shown; a larger _limit shows more.` : '',
    next > 1 ? `There are ${total} rows in all; ${page}=${next} gives the next page.` : '',
  ]
    .filter(Boolean)
    .join(' ');
}
