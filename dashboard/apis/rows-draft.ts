import { AdminError } from '../api/admin-error.ts';
import type { Api } from './queries.ts';

type Extensions = Api['extensions'];

/** How the next page is asked for, if the registration says it: the member of `x-paging` that names the argument. */
export const PAGE_BY = ['page', 'offset', 'cursor', 'lastId'] as const;
type PageBy = (typeof PAGE_BY)[number];

export const ROW_PLACES = ['found', 'root', 'pointer'] as const;
export const NEXT_PAGES = ['found', 'none', ...PAGE_BY] as const;

/** What a person says of the rows of a tool; an empty text is not said. */
export interface RowsDraft {
  readonly place: (typeof ROW_PLACES)[number];
  readonly items: string;
  readonly total: string;
  readonly next: (typeof NEXT_PAGES)[number];
  readonly argument: string;
  /** The argument with the rows per page. */
  readonly size: string;
  /** Pointer to the cursor. */
  readonly at: string;
  /** Number of the first page or row: 0 or 1. */
  readonly first: number | null;
}

const NAMES = ['x-items', 'x-total', 'x-paging'] as const;
export type RowsExtension = (typeof NAMES)[number];

/** What the registration says of an operation, such as `GET /books`. */
export function rowsDraftOf(extensions: Extensions, operation: string): RowsDraft {
  const said = (name: RowsExtension): unknown =>
    extensions.find((each) => each.operation === operation && each.extension === name)?.value;
  const [items, total, paging] = NAMES.map(said);
  const { size = '', at = '', first = null, ...names } = Object(paging);
  const by = PAGE_BY.find((name) => Object.hasOwn(names, name));
  const hasNone = paging === 'none';
  return {
    place: items === undefined ? 'found' : items === '' ? 'root' : 'pointer',
    items: String(items ?? ''),
    total: String(total ?? ''),
    next: hasNone ? 'none' : (by ?? 'found'),
    argument: by ? String(names[by]) : '',
    ...{ size, at, first },
  };
}

/** All extensions of the registration, with these of one operation in place of its earlier ones. */
export function withRows(extensions: Extensions, operation: string, draft: RowsDraft): Extensions {
  const isReplaced = (each: Extensions[number]): boolean =>
    each.operation === operation && NAMES.some((name) => name === each.extension);
  const { place, items, total, next } = draft;
  const values: Record<RowsExtension, unknown> = {
    'x-items': place === 'found' ? undefined : place === 'root' ? '' : items,
    'x-total': total || undefined,
    'x-paging': next === 'found' || next === 'none' ? NO_ARGUMENT[next] : pagingOf(next, draft),
  };
  const chosen = NAMES.filter((name) => values[name] !== undefined);
  return [
    ...extensions.filter((each) => !isReplaced(each)),
    ...chosen.map((extension) => ({ operation, extension, value: values[extension] })),
  ];
}

const NO_ARGUMENT = { found: undefined, none: 'none' } as const;

/** Whether the next page is asked for by a number, which is counted from 0 or 1, and perhaps has so many rows. */
export const isCounted = (next: RowsDraft['next']): boolean => next === 'page' || next === 'offset';

const pagingOf = (next: PageBy, { argument, size, at, first }: RowsDraft): object => ({
  [next]: argument,
  ...(isCounted(next) && size && { size }),
  ...(isCounted(next) && first !== null && { first }),
  ...(next === 'cursor' && at && { at }),
});

/** What the gateway says of an extension that it refused; null if nothing. */
export function refusalOf(error: Error | null, name: RowsExtension): string | null {
  if (!(error instanceof AdminError)) return null;
  const [, said] = new RegExp(`/extensions/\\d+ ${name} (.*?)(?= /extensions/\\d+ |$)`).exec(
    error.message,
  ) ?? [null, null];
  return said ?? null;
}
