import { GatewayError } from '../kernel/error.ts';
import type { CatalogEntry } from './catalog-entry.ts';

/** What `GET /api/v1/tools` may narrow by. */
export interface CatalogQuery {
  /** Substring of name or description; case does not matter. */
  readonly q?: string;
  readonly category?: string;
  readonly source?: string;
}

export interface CatalogPage {
  readonly entries: readonly CatalogEntry[];
  /** Give it back to get the next page; null on the last one. */
  readonly nextCursor: string | null;
}

/** The entries that fit every part of the query, in the order given. */
export function searchEntries(
  entries: readonly CatalogEntry[],
  query: CatalogQuery,
): CatalogEntry[] {
  const wanted = query.q?.toLowerCase() ?? '';
  return entries.filter(
    (entry) =>
      (query.category === undefined || entry.category === query.category) &&
      (query.source === undefined || entry.source === query.source) &&
      (entry.tool.name.includes(wanted) || entry.tool.description.toLowerCase().includes(wanted)),
  );
}

/**
 * One page of entries sorted by id. The cursor holds the last id given out rather than a position, so that a page
 * neither repeats nor skips tools that were there all along. Throws `invalid_request` for a foreign cursor.
 */
export function pageOf(
  entries: readonly CatalogEntry[],
  limit: number,
  cursor?: string,
): CatalogPage {
  const after = cursor === undefined ? '' : decodeCursor(cursor);
  const rest = entries.filter((entry) => entry.id > after);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const more = rest.length > page.length && last !== undefined;
  return { entries: page, nextCursor: more ? encodeCursor(last.id) : null };
}

const encodeCursor = (id: string): string => Buffer.from(id).toString('base64url');

function decodeCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString();
  if (id === '' || encodeCursor(id) !== cursor) {
    throw new GatewayError('invalid_request', 'cursor must be a nextCursor of an earlier answer.');
  }
  return id;
}
