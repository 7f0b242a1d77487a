import type { Tool } from '../tools/model.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** How a tool divides its rows. */
export type Paging =
  /** By a page number, and perhaps a number of rows per page. */
  { readonly kind: 'pages'; readonly page: string; readonly size: string | null } | RangePaging;

/** By the numbers of the first row and the last. */
interface RangePaging {
  readonly kind: 'range';
  readonly start: string;
  readonly end: string;
}

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
    return hasMore ? { [paging.start]: end + 1, [paging.end]: end + sizeOf(start, end) } : null;
  }
  const page = numberIn(args, paging.page, 1);
  const size = paging.size === null ? onPage : numberIn(args, paging.size, onPage);
  const hasMore =
    total === null ? paging.size !== null && onPage >= size : total > (page - 1) * size + onPage;
  return hasMore ? { [paging.page]: page + 1 } : null;
}

/** Rows of a range, both ends included. */
const sizeOf = (start: number, end: number): number => Math.max(end - start + 1, 1);

/**
 * The range that ends with the last row, of the size of a range that begins with the first one; undefined if that has all
 * rows. It has one row more than that if it would otherwise leave a single row, which has no direction.
 */
export function lastRange(
  paging: RangePaging,
  args: Arguments,
  total: number,
): Record<string, number> | undefined {
  const size = numberIn(args, paging.end, 0) - numberIn(args, paging.start, 1) + 1;
  if (size < 2 || total <= size) return undefined;
  return { [paging.start]: total === size + 1 ? 1 : total - size + 1, [paging.end]: total };
}

/** The range of rows that precedes one, from its last row to its first; null before the first row. */
export function previousRange(paging: RangePaging, args: Arguments): Record<string, number> | null {
  const [start, end] = [numberIn(args, paging.start, 1), numberIn(args, paging.end, 1)];
  if (start <= 1) return null;
  const first = start - sizeOf(start, end);
  return { [paging.start]: start - 1, [paging.end]: first <= 2 ? 1 : first };
}

/** The arguments with a range from its last row to its first turned round; undefined if it is not such a range. */
export function turnedRange(paging: RangePaging, args: Arguments): Arguments | undefined {
  const [start, end] = [numberIn(args, paging.start, 1), numberIn(args, paging.end, 1)];
  return start > end ? { ...args, [paging.start]: end, [paging.end]: start } : undefined;
}

function numberIn(args: Arguments, name: string, otherwise: number): number {
  const value = Number(args[name] ?? otherwise);
  return Number.isSafeInteger(value) ? value : otherwise;
}
