import type { UpstreamResponse } from '../upstreams/payload/upstream-response.ts';
import type { PageArguments, Paging } from './paging.ts';
import type { PreparedCall } from './prepare-call.ts';
import type { RowChoice } from './view/view-rows.ts';

/**
 * Says that figures or an order are of one page alone, and how to get those of all rows; undefined if the page has all
 * rows, or nothing is calculated and sorted. `next`: the arguments for the next page; null after the last.
 */
export function pageNote(
  { ready: { paging }, arguments: args, choice }: PreparedCall,
  { rows: onPage = 0, total, links }: UpstreamResponse,
  next: PageArguments | null,
): string | undefined {
  if (!choice?.aggregation && !choice?.sort) return undefined;
  const isLonger = total !== undefined && total > onPage;
  const isPart = isLonger || next !== null || links?.next !== undefined || isLater(paging, args);
  if (!isPart) return undefined;
  const all = isLonger ? `, not of all ${inWords(total)}` : '';
  const size = sizeNameOf(paging);
  const larger = size === null ? 'use' : `raise ${size}, or use`;
  return `${subjectOf(choice)} of the ${inWords(onPage)} rows of this page only${all}. For all rows, ${larger} _over, which reads every page.`;
}

const subjectOf = ({ aggregation }: RowChoice): string =>
  aggregation ? 'The figures are' : 'The order is';

/** Whether a page follows others, so that it has not all rows even if it is the last. */
function isLater(paging: Paging | null, args: PreparedCall['arguments']): boolean {
  if (paging === null) return false;
  const first = Number(args[paging.kind === 'pages' ? paging.page : paging.start] ?? 1);
  return first > 1;
}

const sizeNameOf = (paging: Paging | null): string | null =>
  paging?.kind === 'range' ? paging.end : (paging?.size ?? null);

const inWords = (number: number): string => number.toLocaleString('en');
