import type { UpstreamResponse } from '../upstreams/payload/upstream-response.ts';
import type { PageArguments } from './paging.ts';
import type { PreparedCall } from './prepare-call.ts';

/**
 * Says that figures or an order are of one page alone, and how to get those of all rows; undefined if the page has all
 * rows, or nothing is calculated and sorted. `next`: the arguments for the next page; null after the last.
 */
export function pageNote(
  prepared: PreparedCall,
  response: UpstreamResponse,
  next: PageArguments | null,
): string | undefined {
  const { choice } = prepared;
  if (!choice?.aggregation && !choice?.sort) return undefined;
  const { rows: onPage = 0, total } = response;
  const isLonger = total !== undefined && total > onPage;
  if (!isLonger && next === null && !hasMore(response) && !isLater(prepared)) return undefined;
  const subject = choice.aggregation ? 'The figures are' : 'The order is';
  const all = isLonger ? `, not of all ${inWords(total)}` : '';
  const size = sizeNameOf(prepared);
  const larger = size === undefined ? 'use' : `raise ${size}, or use`;
  return `${subject} of the ${inWords(onPage)} rows of this page only${all}. For all rows, ${larger} _over, which reads every page.`;
}

/** Whether a response says that pages follow which the arguments of the tool cannot ask for. */
const hasMore = ({ links, pages = {} }: UpstreamResponse): boolean =>
  links?.next !== undefined ||
  pages.address !== undefined ||
  pages.hasMore === true ||
  (pages.pages ?? 1) > 1;

/** Whether a page follows others, so that it has not all rows even if it is the last. */
function isLater({ ready: { paging, following }, arguments: args }: PreparedCall): boolean {
  const isAfter = (name: string | undefined, first: number) =>
    name !== undefined && Number(args[name] ?? first) > first;
  if (paging) return isAfter(paging.kind === 'pages' ? paging.page : paging.start, 1);
  const { page, first = 1, offset, cursor, lastId } = following ?? {};
  const isGiven = [cursor, lastId].some((name) => name !== undefined && !!args[name]);
  return isGiven || isAfter(page, first) || isAfter(offset, 0);
}

function sizeNameOf({ ready: { paging, following } }: PreparedCall): string | undefined {
  if (!paging) return following?.size;
  return paging.kind === 'range' ? paging.end : (paging.size ?? undefined);
}

const inWords = (number: number): string => number.toLocaleString('en');
