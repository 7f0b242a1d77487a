import { GatewayError } from '../../platform/kernel/error.ts';
import type { CatalogEntry } from '../catalog-entry.ts';
import type { CatalogMatch } from '../search/search-entries.ts';

export interface CatalogPage {
  readonly entries: readonly CatalogEntry[];
  /** Give it back to get the next page; null on the last one. */
  readonly nextCursor: string | null;
}

/** Where an entry stands: by score, best first, then by id. */
type Place = readonly [score: number, id: string];

/**
 * One page of matches sorted by score and id. The cursor holds the place of the last entry given out rather than
 * a count, so that a page neither repeats nor skips tools that were there all along. Throws `invalid_request` for a
 * foreign cursor.
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

function matchesAfter([score, id]: Place, matches: readonly CatalogMatch[]): CatalogMatch[] {
  const isRanked = (matches[0]?.score ?? score) > 0;
  if (isRanked !== score > 0) throw foreignCursor();
  return matches.filter((match) =>
    match.score === score ? match.entry.id > id : match.score < score,
  );
}

const encodeCursor = (place: Place): string =>
  Buffer.from(JSON.stringify(place)).toString('base64url');

function decodeCursor(cursor: string): Place {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (isPlace(place)) return place;
  } catch {
    // Not JSON: as foreign as any other text.
  }
  throw foreignCursor();
}

const foreignCursor = (): GatewayError =>
  new GatewayError(
    'invalid_request',
    'cursor must be a nextCursor of an earlier answer to the same query.',
  );

const isPlace = (value: unknown): value is Place =>
  Array.isArray(value) &&
  value.length === 2 &&
  typeof value[0] === 'number' &&
  typeof value[1] === 'string';
