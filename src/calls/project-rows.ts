import { selectRows } from '../upstreams/payload/select-rows.ts';
import { isFailure, type UpstreamResponse } from '../upstreams/payload/upstream-response.ts';
import type { Arguments } from './choose-rows.ts';
import { nextPage, type Paging } from './paging.ts';
import type { PreparedCall } from './prepare-call.ts';
import type { RowCount } from './tool-call.ts';

/** A response reduced to the columns and rows that the caller chose, and how many rows that are. */
export function projectRows(
  { tool, projection, ready, arguments: args }: PreparedCall,
  response: UpstreamResponse,
): ProjectedRows {
  const selected = projection && selectRows(response.json, tool.payload, projection);
  const { rows } = response;
  if (rows === undefined || isFailure(response)) return { response, rows: undefined };
  const total = response.total ?? null;
  const returned = selected?.rows ?? rows;
  const count = { returned, omitted: rows - returned, total };
  const more = moreRows(ready.paging, args, count);
  return {
    response: selected ? { ...response, json: selected.json, rows: returned } : response,
    rows: { ...count, ...more },
  };
}

export interface ProjectedRows {
  readonly response: UpstreamResponse;
  readonly rows: RowCount | undefined;
}

/** How to get the rows that are left out here, else those of the next page. */
function moreRows(
  paging: Paging | null,
  args: Arguments,
  { returned, omitted, total }: Omit<RowCount, 'next' | 'hint'>,
): Pick<RowCount, 'next' | 'hint'> {
  const onPage = returned + omitted;
  if (omitted > 0) {
    const hint = `${returned} of ${onPage} rows are shown; a larger _limit shows more.`;
    const inAll = total !== null && total > onPage ? ` There are ${total} rows in all.` : '';
    return { next: { _limit: onPage }, hint: hint + inAll };
  }
  const next = paging && nextPage(paging, args, { onPage, total });
  if (!next) return { next: null };
  const inAll = total === null ? 'There may be more rows' : `There are ${total} rows in all`;
  return { next, hint: `${inAll}; ${inWords(next)} gives the next ones.` };
}

const inWords = (args: Readonly<Record<string, number>>): string =>
  Object.entries(args)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
