import type { RowView } from '../tools/model.ts';
import { type RowSelection, selectRows } from '../upstreams/payload/select-rows.ts';
import { isFailure, type UpstreamResponse } from '../upstreams/payload/upstream-response.ts';
import { beyondLast, nextPage, type PageArguments, previousRange } from './paging.ts';
import type { PreparedCall } from './prepare-call.ts';
import type { RowCount } from './tool-call.ts';
import { encodeTable, type ShownRows } from './view/table.ts';
import { ALL_COLUMNS, type RowChoice, viewRows } from './view/view-rows.ts';
import type { Where } from './view/where.ts';

/** The part of a response that the caller chose. */
export interface ProjectedRows {
  readonly response: UpstreamResponse;
  /** Undefined for a response without rows. */
  readonly rows: RowCount | undefined;
  readonly table: ShownRows | null;
}

const ALL = { fields: null, where: new Map(), limit: null };

/** Reduces a response to the rows and columns that the caller chose, and counts them. */
export function projectRows(prepared: PreparedCall, response: UpstreamResponse): ProjectedRows {
  const { choice, shows, tool } = prepared;
  const { rows: onPage, json } = response;
  if (onPage === undefined || isFailure(response)) {
    return { response, rows: undefined, table: null };
  }
  const table = shows === 'data' ? null : viewRows(json, tool, choice ?? ALL);
  if (table && shows === 'table') {
    const rows = countRows(prepared, response, countOf(table, choice !== null, onPage));
    return { response: { ...response, json: encodeTable(table) }, rows, table };
  }
  // A limit on rows of a pivot says nothing about the rows of the payload.
  const selected =
    choice && !table?.isPivoted
      ? selectRows(json, tool.payload, selectionOf(choice, tool.view))
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

const countOf = (
  { matching, rows, isPivoted }: ShownRows,
  isChosen: boolean,
  onPage: number,
): Counted => ({
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
}

function countRows(
  { ready, arguments: args, isNewestFirst }: PreparedCall,
  response: UpstreamResponse,
  { found, returned, onPage, isReduced }: Counted,
): RowCount {
  const reported = response.total ?? null;
  const { paging, seriesPaging } = ready;
  const next =
    isNewestFirst && seriesPaging
      ? previousRange(seriesPaging, args)
      : paging && nextPage(paging, args, { onPage, total: reported });
  const total = isReduced ? (next ? null : found) : reported;
  const omitted = found - returned;
  if (omitted > 0) {
    const hint = `${returned} of ${found} rows are shown; a larger _limit shows more.`;
    const inAll = total !== null && total > found ? ` There are ${total} rows in all.` : '';
    return { returned, omitted, total, next: { _limit: found }, hint: hint + inAll };
  }
  if (!next) {
    const beyond = paging && onPage === 0 ? beyondLast(paging, args, reported) : undefined;
    return { returned, omitted, total, next: null, ...(beyond && { hint: beyond }) };
  }
  const inAll =
    reported === null ? 'There may be more rows' : `The source has ${reported} rows in all`;
  const others = isNewestFirst ? 'those before these' : 'the next ones';
  const hint = `${inAll}; ${inWords(next)} gives ${others}.`;
  return { returned, omitted, total, next, hint };
}

const inWords = (args: PageArguments): string =>
  Object.entries(args)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');

/**
 * A choice as it applies to the rows of the payload. There, the quantities of a pivot are values of one column: choosing
 * some keeps their rows, whole.
 */
function selectionOf({ fields, where, limit }: RowChoice, view: RowView): RowSelection {
  const { pivot } = view;
  const columns = pivot ? [...pivot.rows, pivot.category, pivot.value] : [];
  const isQuantity = (name: string): boolean =>
    pivot !== null && Object.hasOwn(view.columns, name) && !columns.includes(name);
  const quantities = fields?.filter(isQuantity) ?? [];
  const conditions: Where = new Map([...where].filter(([name]) => !isQuantity(name)));
  if (pivot === null || quantities.length === 0) {
    return { fields: fields?.includes(ALL_COLUMNS) ? null : fields, where: conditions, limit };
  }
  const named = new Set(quantities);
  return {
    fields: null,
    where: new Map([...conditions, [pivot.category, (text: string) => named.has(text)]]),
    limit,
  };
}
