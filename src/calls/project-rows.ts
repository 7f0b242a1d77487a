import { selectRows } from '../upstreams/payload/select-rows.ts';
import { isFailure, type UpstreamResponse } from '../upstreams/payload/upstream-response.ts';
import { nextPage } from './paging.ts';
import type { PreparedCall } from './prepare-call.ts';
import type { RowCount } from './tool-call.ts';
import { encodeTable } from './view/encode-table.ts';
import { selectionOf } from './view/selection.ts';
import { type ShownRows, viewRows } from './view/view-rows.ts';

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
  if (response.rows === undefined || isFailure(response)) {
    return { response, rows: undefined, table: null };
  }
  if (shows === 'data') return projectData(prepared, response, response.rows);
  const table = viewRows(response.json, tool, choice ?? ALL);
  if (!table) return projectData(prepared, response, response.rows);
  const { matching, rows } = table;
  const isReduced = table.isPivoted || choice !== null;
  const count = { found: matching, returned: rows.length, onPage: response.rows, isReduced };
  // A limit on rows of a pivot says nothing about the rows of the payload.
  const data = table.isPivoted ? response : projectData(prepared, response, response.rows).response;
  return {
    response: shows === 'table' ? { ...response, json: encodeTable(table) } : data,
    rows: countRows(prepared, response, count),
    table,
  };
}

function projectData(
  prepared: PreparedCall,
  response: UpstreamResponse,
  onPage: number,
): ProjectedRows {
  const { choice, tool } = prepared;
  const selected =
    choice && selectRows(response.json, tool.payload, selectionOf(choice, tool.view));
  if (!selected) {
    const count = { found: onPage, returned: onPage, onPage, isReduced: false };
    return { response, rows: countRows(prepared, response, count), table: null };
  }
  const { json, rows, omitted } = selected;
  const found = rows + omitted;
  const count = { found, returned: rows, onPage, isReduced: found < onPage };
  return {
    response: { ...response, json, rows },
    rows: countRows(prepared, response, count),
    table: null,
  };
}

interface Counted {
  /** Rows that match, with those beyond the limit. */
  readonly found: number;
  readonly returned: number;
  /** Rows of the response. */
  readonly onPage: number;
  /** Whether the rows found are not those of the response, so that the upstream's total is not theirs. */
  readonly isReduced: boolean;
}

function countRows(
  { ready, arguments: args }: PreparedCall,
  response: UpstreamResponse,
  { found, returned, onPage, isReduced }: Counted,
): RowCount {
  const reported = response.total ?? null;
  const { paging } = ready;
  const next = paging && nextPage(paging, args, { onPage, total: reported });
  const total = isReduced ? (next ? null : found) : reported;
  const omitted = found - returned;
  if (omitted > 0) {
    const hint = `${returned} of ${found} rows are shown; a larger _limit shows more.`;
    const inAll = total !== null && total > found ? ` There are ${total} rows in all.` : '';
    return { returned, omitted, total, next: { _limit: found }, hint: hint + inAll };
  }
  if (!next) return { returned, omitted, total, next: null };
  const inAll =
    reported === null ? 'There may be more rows' : `The source has ${reported} rows in all`;
  const hint = `${inAll}; ${inWords(next)} gives the next ones.`;
  return { returned, omitted, total, next, hint };
}

const inWords = (args: Readonly<Record<string, number>>): string =>
  Object.entries(args)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
