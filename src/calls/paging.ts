import type { ArgumentIssue } from '../platform/kernel/error.ts';
import { isObject, own, ownObject } from '../platform/kernel/plain-json.ts';
import type { Tool } from '../tools/model.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** How a tool divides its rows. */
export type Paging =
  | {
      /** By a page number, and perhaps a number of rows per page. */
      readonly kind: 'pages';
      readonly page: string;
      readonly size: string | null;
      /** Rows that can be reached; null = all. */
      readonly maxRows: number | null;
    }
  | RangePaging;

/** Arguments to change for other rows, as their schema has them; null = left out. */
export type PageArguments = Readonly<Record<string, number | string | null>>;

/** By the numbers of the first row and the last. */
interface RangePaging {
  readonly kind: 'range';
  readonly start: string;
  readonly end: string;
}

const PAGE_NAMES = 'pageno page pageindex cpage curpage page_no startcount'.split(' ');
const SIZE_NAMES =
  'numofrows rows pageunit pagesize itemperpage limit page_count perpage per_page resultcount'.split(
    ' ',
  );

/** How a tool divides its rows, by the names of its arguments; null if it does not. */
export function pagingOf({ parameters, payload }: Tool): Paging | null {
  const properties = parameters.flatMap(({ source }) =>
    source.kind === 'argument' ? [source.property] : [],
  );
  const named = (wanted: readonly string[]) =>
    properties.find((property) => wanted.includes(property.toLowerCase()));
  const page = named(PAGE_NAMES);
  if (page !== undefined) {
    const { maxRows = null } = payload;
    return { kind: 'pages', page, size: named(SIZE_NAMES) ?? null, maxRows };
  }
  const isRange = properties.includes('start') && properties.includes('end');
  return isRange ? { kind: 'range', start: 'start', end: 'end' } : null;
}

/**
 * The arguments to change for the rows that follow; null after the last that can be reached. Without a total, a full page
 * is followed by another.
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
  const isReachable = paging.maxRows === null || (page + 1) * size <= paging.maxRows;
  return hasMore && isReachable ? { [paging.page]: page + 1 } : null;
}

/** What is wrong with a page that lies beyond the rows that can be reached. */
export function unreachablePage(paging: Paging | null, args: Arguments): ArgumentIssue | undefined {
  if (paging?.kind !== 'pages' || paging.maxRows === null || paging.size === null) return undefined;
  const { page, size, maxRows } = paging;
  if (numberIn(args, page, 1) * numberIn(args, size, 1) <= maxRows) return undefined;
  const most = maxRows.toLocaleString('en');
  const message = `is beyond what the source gives, which is the first ${most} rows. Keep ${page} times ${size} within ${most}, or narrow the question.`;
  return { path: `/${page}`, message };
}

/** A page without rows behind the last row, and how to get the last ones; in words. */
export function beyondLast(
  paging: Paging,
  args: Arguments,
  total: number | null,
): string | undefined {
  const isRange = paging.kind === 'range';
  const name = isRange ? paging.start : paging.page;
  const asked = numberIn(args, name, 1);
  if (asked <= 1) return undefined;
  // Some upstreams report 0 rows in all for a page without rows.
  if (!total) return `${name}=${asked} may be beyond the last row; ${name}=1 gives the first rows.`;
  if (isRange) {
    const size = sizeOf(asked, numberIn(args, paging.end, asked));
    const first = Math.max(total - size + 1, 1);
    const last = `${name}=${first}, ${paging.end}=${total}`;
    return `${name}=${asked} is beyond the last row, ${total}; ${last} gives the last rows.`;
  }
  const size = paging.size === null ? 0 : numberIn(args, paging.size, 0);
  if (size < 1) {
    return `${name}=${asked} is beyond the last page of ${total} rows; ${name}=1 gives the first page.`;
  }
  const last = Math.ceil(total / size);
  return last < asked
    ? `${name}=${asked} is beyond the last page; ${name}=${last} gives the last rows.`
    : undefined;
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

/** The arguments with a descending range in ascending order; undefined if it is not such a range. */
export function turnedRange(paging: RangePaging, args: Arguments): Arguments | undefined {
  const [start, end] = [numberIn(args, paging.start, 1), numberIn(args, paging.end, 1)];
  return start > end ? { ...args, [paging.start]: end, [paging.end]: start } : undefined;
}

function numberIn(args: Arguments, name: string, otherwise: number): number {
  const value = Number(args[name] ?? otherwise);
  return Number.isSafeInteger(value) ? value : otherwise;
}

/** Arguments to change, with numbers and texts as the schemas of the tool want them: some describe page numbers as texts. */
export function inTypes(
  next: PageArguments,
  { inputSchema }: Pick<Tool, 'inputSchema'>,
): PageArguments {
  const schemas = ownObject(inputSchema, 'properties');
  const entries = Object.entries(next).map(([name, value]) => {
    const schema = own(schemas, name);
    const types = isObject(schema) ? [own(schema, 'type')].flat() : [];
    const isNumber = types.includes('integer') || types.includes('number');
    if (value === null || (!isNumber && !types.includes('string'))) return [name, value];
    return [name, isNumber && isDigits(value) ? Number(value) : isNumber ? value : String(value)];
  });
  return Object.fromEntries(entries);
}

export const isDigits = (value: unknown): boolean => /^\d{1,15}$/.test(String(value));
