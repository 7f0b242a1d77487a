import type { Tool } from '../tools/model.ts';
import { type RowSelection, selectRows } from '../upstreams/payload/select-rows.ts';
import { isFailure, type UpstreamResponse } from '../upstreams/payload/upstream-response.ts';
import { type Following, followingPage } from './following-page.ts';
import { pageNote } from './page-note.ts';
import { beyondLast, inTypes, nextPage, type PageArguments, previousRange } from './paging.ts';
import type { PreparedCall } from './prepare-call.ts';
import type { RowCount } from './tool-call.ts';
import { orderOf } from './view/sort-rows.ts';
import { encodeTable, type ShownRows } from './view/table.ts';
import {
  ALL_COLUMNS,
  type RowChoice,
  readRows,
  type ViewedTool,
  viewRows,
} from './view/view-rows.ts';
import type { Where } from './view/where.ts';

/** The part of a response that the caller chose. */
export interface ProjectedRows {
  readonly response: UpstreamResponse;
  /** Undefined for a response without rows. */
  readonly rows: RowCount | undefined;
  readonly table: ShownRows | null;
  /** Why the caller's choice of rows had no effect; absent if it had. */
  readonly unreduced?: string;
}

const UNREDUCED =
  'No list in this response is certain to be its rows: it is shown whole. x-items of the registration can say where they are.';

const ALL = { fields: null, where: new Map(), limit: null };

/** Reduces a response to the rows and columns that the caller chose, and counts them. */
export function projectRows(prepared: PreparedCall, response: UpstreamResponse): ProjectedRows {
  const { choice, shows, tool } = prepared;
  const { rows: onPage, json } = response;
  if (onPage === undefined || isFailure(response)) {
    const isAsked = choice !== null || prepared.meant['_link'] === true;
    const isWhole = isAsked && tool.payload.finds && !isFailure(response);
    return { response, rows: undefined, table: null, ...(isWhole && { unreduced: UNREDUCED }) };
  }
  const rowTool = withFoundRows(tool, response);
  const table = shows === 'data' ? null : viewRows(json, rowTool, choice ?? ALL);
  if (table && shows === 'table') {
    const rows = countRows(prepared, response, countOf(table, choice !== null, onPage));
    return { response: { ...response, json: encodeTable(table) }, rows, table };
  }
  // The payload would be sorted or reduced by an unknown column without a word.
  if (choice && (choice.sort || tool.payload.finds) && !table) readRows(json, rowTool, choice);
  // A limit on rows of a pivot says nothing about the rows of the payload.
  const selected =
    choice && !table?.isPivoted
      ? selectRows(json, rowTool.payload, selectionOf(choice, tool))
      : null;
  const found = selected ? selected.rows + selected.omitted : onPage;
  const count = table
    ? countOf(table, choice !== null, onPage)
    : { found, returned: selected?.rows ?? onPage, onPage, isReduced: found < onPage };
  return {
    response: selected ? { ...response, json: selected.json, rows: selected.rows } : response,
    rows: countRows(prepared, response, count),
    table,
  };
}

/** The tool with its rows where this response has them. */
export const withFoundRows = (
  tool: ViewedTool,
  { found }: Pick<UpstreamResponse, 'found'>,
): ViewedTool =>
  found
    ? {
        name: tool.name,
        view: tool.view,
        payload: { ...tool.payload, items: found.items, itemWrapper: found.itemWrapper },
      }
    : tool;

const countOf = (
  { matching, rows, isPivoted, notes }: ShownRows,
  isChosen: boolean,
  onPage: number,
): Counted => ({
  ...(notes && { notes }),
  found: matching,
  returned: rows.length,
  onPage,
  isReduced: isPivoted || isChosen,
});

interface Counted {
  /** Rows that match, with those beyond the limit. */
  readonly found: number;
  readonly returned: number;
  /** Rows of the response. */
  readonly onPage: number;
  /** Whether the rows found are not the rows of the response, so that the upstream's total is not theirs. */
  readonly isReduced: boolean;
  /** Sentences on the figures of groups; absent where rows are not grouped. */
  readonly notes?: readonly string[];
}

/** The arguments to change for the rows of a preset that follow. */
function nextOfPreset(
  { ready: { paging, seriesPaging }, arguments: args, isNewestFirst, tool }: PreparedCall,
  page: { readonly onPage: number; readonly total: number | null },
): PageArguments | null {
  if (isNewestFirst && seriesPaging) return previousRange(seriesPaging, args);
  const next = paging && nextPage(paging, args, page);
  return next && inTypes(next, tool);
}

/** Counts rows or groups. What is calculated or sorted of one page never seems to be so of all rows. */
function countRows(prepared: PreparedCall, response: UpstreamResponse, counted: Counted): RowCount {
  const { notes = [], found, returned } = counted;
  const following = nextOf(prepared, response, counted.onPage);
  const page = following ?? null;
  const count = countPage(prepared, response, counted, following);
  const note = prepared.choice && pageNote(prepared, response, page);
  if (notes.length === 0 && !note) return count;
  // The next page has figures of its own: it does not continue these.
  const isContinued = !note || returned < found;
  const hint = [
    ...(count.hint && isContinued ? [count.hint] : []),
    ...(note ? [note] : []),
    ...notes,
  ];
  return { ...count, hint: hint.join(' ') };
}

function nextOf(prepared: PreparedCall, response: UpstreamResponse, onPage: number): Following {
  const { ready, tool, arguments: args } = prepared;
  const { following } = ready;
  return following
    ? followingPage({ tool, paging: following, arguments: args, response, onPage })
    : nextOfPreset(prepared, { onPage, total: response.total ?? null });
}

function countPage(
  { ready: { paging }, arguments: args, isNewestFirst }: PreparedCall,
  response: UpstreamResponse,
  { found, returned, onPage, isReduced }: Counted,
  following: Following,
): RowCount {
  const [next, isOpen] = [following ?? null, following === undefined];
  const reported = response.total ?? null;
  const total = isReduced ? (next || isOpen ? null : found) : reported;
  const omitted = found - returned;
  if (omitted > 0) {
    const hint = `${returned} of ${found} rows are shown; a larger _limit shows more.`;
    const inAll = total !== null && total > found ? ` There are ${total} rows in all.` : '';
    return { returned, omitted, total, next: { _limit: found }, hint: hint + inAll };
  }
  if (!next) {
    const beyond =
      paging && onPage === 0 ? beyondLast(paging, args, reported) : elsewhere(response, isOpen);
    const count = { returned, omitted, total, next: null, ...(beyond && { hint: beyond }) };
    return isOpen ? { ...count, isOpen } : count;
  }
  const inAll =
    reported === null ? 'There may be more rows' : `The source has ${reported} rows in all`;
  const others = isNewestFirst ? 'those before these' : 'the next ones';
  const hint = `${inAll}; ${inWords(next)} gives ${others}.`;
  return { returned, omitted, total, next, hint };
}

/** Why nothing is said of a next page that there may be. */
function elsewhere({ pages, links }: UpstreamResponse, isOpen: boolean): string | undefined {
  if (!isOpen || links?.next !== undefined) return undefined;
  if (pages?.address === undefined) return 'Nothing says whether there are more rows.';
  return `The next page is at ${pages.address}, which the arguments of this tool cannot ask for.`;
}

const inWords = (args: PageArguments): string =>
  Object.entries(args)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');

/**
 * A choice as it applies to the rows of the payload. There, the quantities of a pivot are values of one column: choosing
 * some keeps their rows, whole.
 */
function selectionOf(choice: RowChoice, { view, name }: Tool): RowSelection {
  const { fields, where, limit, sort } = choice;
  const order = sort && {
    columns: sort.map(({ column }) => column),
    order: (cells: readonly (readonly string[])[]) => orderOf(cells, sort, name),
  };
  const { pivot } = view;
  const columns = pivot ? [...pivot.rows, pivot.category, pivot.value] : [];
  const isQuantity = (name: string): boolean =>
    pivot !== null && Object.hasOwn(view.columns, name) && !columns.includes(name);
  const quantities = fields?.filter(isQuantity) ?? [];
  const conditions: Where = new Map([...where].filter(([name]) => !isQuantity(name)));
  if (pivot === null || quantities.length === 0) {
    return {
      fields: fields?.includes(ALL_COLUMNS) ? null : fields,
      where: conditions,
      limit,
      ...(order && { order }),
    };
  }
  const named = new Set(quantities);
  return {
    fields: null,
    where: new Map([...conditions, [pivot.category, (text: string) => named.has(text)]]),
    limit,
    ...(order && { order }),
  };
}
