import { GatewayError } from '../../platform/kernel/error.ts';
import type { CatalogEntry } from '../catalog-entry.ts';
import type { CatalogMatch } from '../search/search-entries.ts';

export interface CatalogPage {
  readonly entries: readonly CatalogEntry[];
  /** Pass it as the cursor to get the next page; null on the last page. */
  readonly nextCursor: string | null;
}

type SortKey = readonly [score: number, id: string];

/**
 * One page of matches that are sorted by score and id. The cursor holds the sort key of the page's last entry rather
 * than a count, so that pages neither repeat nor skip a tool while others come and go. Throws `invalid_request` for a
 * cursor of another query.
 */
export function pageOf(
  matches: readonly CatalogMatch[],
  limit: number,
  cursor?: string,
): CatalogPage {
  const rest = cursor === undefined ? matches : matchesAfter(decodeCursor(cursor), matches);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const more = rest.length > page.length && last !== undefined;
  return {
    entries: page.map(({ entry }) => entry),
    nextCursor: more ? encodeCursor([last.score, last.entry.id]) : null,
  };
}

function matchesAfter([score, id]: SortKey, matches: readonly CatalogMatch[]): CatalogMatch[] {
  const isRanked = (matches[0]?.score ?? score) > 0;
  if (isRanked !== score > 0) throw invalidCursor();
  return matches.filter((match) =>
    match.score === score ? match.entry.id > id : match.score < score,
  );
}

const encodeCursor = (key: SortKey): string =>
  Buffer.from(JSON.stringify(key)).toString('base64url');

function decodeCursor(cursor: string): SortKey {
  try {
    const key = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const [score, id] = Array.isArray(key) && key.length === 2 ? key : [];
    if (typeof score === 'number' && typeof id === 'string') return [score, id];
  } catch {
    // Not JSON, so not a cursor.
  }
  throw invalidCursor();
}

const invalidCursor = (): GatewayError =>
  new GatewayError(
    'invalid_request',
    'cursor must be the nextCursor of an earlier response to the same query.',
  );
