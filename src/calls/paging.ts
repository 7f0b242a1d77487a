import type { Tool } from '../tools/model.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** How a tool divides its rows. */
export type Paging =
  /** By a page number, and perhaps a number of rows per page. */
  | { readonly kind: 'pages'; readonly page: string; readonly size: string | null }
  /** By the numbers of the first row and the last. */
  | { readonly kind: 'range'; readonly start: string; readonly end: string };

const PAGE_NAMES = 'pageno page pageindex cpage curpage page_no startcount'.split(' ');
const SIZE_NAMES =
  'numofrows rows pageunit pagesize itemperpage limit page_count per_page resultcount'.split(' ');

/** How a tool divides its rows, by the names of its arguments; null if it does not. */
export function pagingOf({ parameters }: Tool): Paging | null {
  const properties = parameters.flatMap(({ source }) =>
    source.kind === 'argument' ? [source.property] : [],
  );
  const named = (wanted: readonly string[]) =>
    properties.find((property) => wanted.includes(property.toLowerCase()));
  const page = named(PAGE_NAMES);
  if (page !== undefined) return { kind: 'pages', page, size: named(SIZE_NAMES) ?? null };
  const isRange = properties.includes('start') && properties.includes('end');
  return isRange ? { kind: 'range', start: 'start', end: 'end' } : null;
}

/**
 * The arguments to change for the rows that follow; null after the last. Without a total, a full page is followed by
 * another.
 */
export function nextPage(
  paging: Paging,
  args: Arguments,
  { onPage, total }: { readonly onPage: number; readonly total: number | null },
): Record<string, number> | null {
  // A page that the gateway has filtered may be empty; one of an upstream that knows no total is the last.
  if (onPage === 0 && total === null) return null;
  if (paging.kind === 'range') {
    const [start, end] = [numberIn(args, paging.start, 1), numberIn(args, paging.end, onPage)];
    const hasMore = total === null ? onPage >= end - start + 1 : total > end;
    const size = Math.max(end - start + 1, 1);
    return hasMore ? { [paging.start]: end + 1, [paging.end]: end + size } : null;
  }
  const page = numberIn(args, paging.page, 1);
  const size = paging.size === null ? onPage : numberIn(args, paging.size, onPage);
  const hasMore =
    total === null ? paging.size !== null && onPage >= size : total > (page - 1) * size + onPage;
  return hasMore ? { [paging.page]: page + 1 } : null;
}

function numberIn(args: Arguments, name: string, otherwise: number): number {
  const value = Number(args[name] ?? otherwise);
  return Number.isSafeInteger(value) ? value : otherwise;
}
