/** Where one is in a list with cursors. */
export interface Position {
  /** Counts from 1. */
  readonly page: number;
  /** Of this page and of those before it, as far as they are known; empty on the first page. */
  readonly cursors: readonly string[];
}

const FIRST: Position = { page: 1, cursors: [] };

/** Cursors in an address: with more, it would be too long. Before the earliest one comes the first page. */
const MAX_CURSORS = 10;
const MAX_LENGTH = MAX_CURSORS * 500;
const SEPARATOR = '~';

/** The members of an address that say which page of a list it shows; `list` names one of several lists. */
const membersOf = (list: string) => ({ page: `${list}page`, cursor: `${list}cursor` });

/** Leads to the first page. For links that change what is listed. */
export const FIRST_PAGE = { page: undefined, cursor: undefined } as const;

/** Reads an address; the first page if it names no other. */
export function readPosition(search: Readonly<Record<string, unknown>>, list = ''): Position {
  const members = membersOf(list);
  const [page, cursor] = [Number(search[members.page]), search[members.cursor]];
  if (!Number.isSafeInteger(page) || page < 2) return FIRST;
  if (typeof cursor !== 'string' || cursor === '' || cursor.length > MAX_LENGTH) return FIRST;
  return {
    page,
    cursors: cursor
      .split(SEPARATOR)
      .map(decoded)
      .slice(-(page - 1)),
  };
}

/** The members of an address that shows a position. */
export function searchOf({ page, cursors }: Position, list = '') {
  const members = membersOf(list);
  const isFirst = page === 1;
  return {
    [members.page]: isFirst ? undefined : page,
    [members.cursor]: isFirst ? undefined : cursors.map(encoded).join(SEPARATOR),
  };
}

export const pageAfter = ({ page, cursors }: Position, cursor: string): Position => ({
  page: page + 1,
  cursors: [...cursors, cursor].slice(-MAX_CURSORS),
});

/** The first page, if the one before is not known. */
export const pageBefore = ({ page, cursors }: Position): Position =>
  cursors.length > 1 ? { page: page - 1, cursors: cursors.slice(0, -1) } : FIRST;

/** `~` within a cursor is escaped. */
const encoded = (cursor: string): string => cursor.replaceAll('%', '%25').replaceAll('~', '%7E');
const decoded = (cursor: string): string => cursor.replaceAll('%7E', '~').replaceAll('%25', '%');
