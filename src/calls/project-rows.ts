import type { CacheResult } from '../cache/response-cache.ts';
import type { ArgumentFault } from '../platform/kernel/error.ts';
import type { CatalogEntry } from '../tools/catalog-entry.ts';
import { MAX_FIELDS } from '../tools/compile/row-arguments.ts';
import type { Tool } from '../tools/model.ts';
import { type RowSelection, selectRows } from '../upstreams/payload/select-rows.ts';
import { isFailure } from '../upstreams/payload/upstream-response.ts';
import type { CallOutcome, ShownRows } from './tool-call.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** What `_fields` and `_limit` ask for. */
export interface Projection extends RowSelection {
  /** The page asked for, of a tool that has pages. */
  readonly page: { readonly name: string; readonly number: number } | null;
}

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

/** The projection that checked arguments ask for; null when they ask for all rows as they are. */
export function projectionOf(tool: Tool, args: Arguments): Projection | null {
  const { _fields: fields, _limit: limit } = args;
  const wanted = Array.isArray(fields) ? fields : null;
  const most = typeof limit === 'number' ? limit : null;
  if (wanted === null && most === null) return null;
  return { fields: wanted, limit: most, page: pageOf(tool, args) };
}

/** Takes out what chooses among the rows of a response, which is the same without it. */
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

/** What was found for a call, with the part of its rows that the caller wants. */
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
