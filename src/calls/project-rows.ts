import type { CacheResult } from '../cache/response-cache.ts';
import type { ArgumentIssue } from '../platform/kernel/error.ts';
import type { CatalogEntry } from '../tools/catalog-entry.ts';
import { MAX_FIELDS } from '../tools/compile/row-arguments.ts';
import type { Tool } from '../tools/model.ts';
import { type RowSelection, selectRows } from '../upstreams/payload/select-rows.ts';
import { isFailure } from '../upstreams/payload/upstream-response.ts';
import type { CallOutcome, ShownRows } from './tool-call.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** The columns and rows that `_fields` and `_limit` choose. */
export interface Projection extends RowSelection {
  /** The requested page, if the tool has pages. */
  readonly page: { readonly name: string; readonly number: number } | null;
}

/** Returns an issue for each unknown column in `_fields`. A tool whose rows are not described accepts every name. */
export function unknownColumns({ payload }: Tool, args: Arguments): ArgumentIssue[] {
  const fields = args['_fields'];
  const { columns } = payload;
  if (!Array.isArray(fields) || columns === null) return [];
  const unknown = [...fields.slice(0, MAX_FIELDS).keys()].filter(
    (index) => !columns.includes(fields[index]),
  );
  // The columns are listed once, however many names are unknown.
  return unknown.map((index, nth) => ({
    path: `/_fields/${index}`,
    message:
      nth === 0 ? `is not a column. Columns: ${columns.join(', ')}.` : 'is not a column either.',
  }));
}

/** The projection that valid arguments choose; null for all rows, unchanged. */
export function projectionOf(tool: Tool, args: Arguments): Projection | null {
  const { _fields: fields, _limit: limit } = args;
  const columns = Array.isArray(fields) ? fields : null;
  const maxRows = typeof limit === 'number' ? limit : null;
  if (columns === null && maxRows === null) return null;
  return { fields: columns, limit: maxRows, page: pageOf(tool, args) };
}

/** Removes the projection from the arguments: the upstream's response does not depend on it. */
export function withoutProjection({ payload }: Tool, args: Record<string, unknown>): void {
  if (payload.items === null) return;
  delete args['_fields'];
  delete args['_limit'];
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

function pageOf(tool: Tool, args: Arguments): Projection['page'] {
  for (const { source } of tool.parameters) {
    if (source.kind !== 'argument' || !PAGE_NAMES.has(source.property.toLowerCase())) continue;
    return { name: source.property, number: Number(args[source.property] ?? 1) };
  }
  return null;
}

/** The outcome of a call, reduced to the columns and rows that the caller chose. */
export function projectRows(
  { tool, projection }: { readonly tool: Tool; readonly projection: Projection | null },
  found: CacheResult,
  { entry, auditId }: { readonly entry: CatalogEntry; readonly auditId: string },
): CallOutcome {
  const { response, cacheStatus, upstreamMs } = found;
  const isError = isFailure(response);
  const whole = {
    entry,
    auditId,
    response,
    cacheStatus,
    upstreamMs,
    isError,
    shownRows: undefined,
  };
  const selected = projection && selectRows(response.json, tool.payload, projection);
  if (!selected) return whole;
  const { json, rows, omitted, total } = selected;
  const hint = hintOf(projection, { returned: rows, omitted, total });
  return {
    ...whole,
    response: { ...response, json, rows },
    shownRows: { returned: rows, omitted, total, ...(hint ? { hint } : {}) },
  };
}

function hintOf({ page }: Projection, { returned, omitted, total }: ShownRows): string {
  const here = returned + omitted;
  const next = page && total !== null && total > here ? page.number + 1 : 0;
  return [
    omitted > 0 ? `${returned} of ${here} rows are shown; a larger _limit shows more.` : '',
    page && next > 1
      ? `There are ${total} rows in all; ${page.name}=${next} gives the next page.`
      : '',
  ]
    .filter(Boolean)
    .join(' ');
}
