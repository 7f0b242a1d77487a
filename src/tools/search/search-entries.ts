import { GatewayError } from '../../platform/kernel/error.ts';
import type { CatalogEntry } from '../catalog-entry.ts';
import { createSearchIndex } from './search-index.ts';

/** Characters of a query; enough for a long sentence. */
export const MAX_SEARCH_LENGTH = 200;

/** What a listing of tools may be narrowed by. */
export interface CatalogQuery {
  /** Words to find, in English or Korean; nothing but blanks is as good as absent. */
  readonly q?: string;
  readonly category?: string;
  readonly source?: string;
}

export interface CatalogMatch {
  readonly entry: CatalogEntry;
  /** How well the entry fits the words sought; 0 when none are. */
  readonly score: number;
}

/**
 * Those of `entries` that fit every part of the query: best first when words are sought, else in the order given.
 * Throws `invalid_arguments` for a category that none of the entries has.
 */
export type SearchEntries = (
  entries: readonly CatalogEntry[],
  query: CatalogQuery,
) => readonly CatalogMatch[];

/** Entries that score less than this share of the best one only touch upon what was sought. */
const LEAST_SHARE = 0.05;

/** The search among the entries of one catalog; they are indexed when words are sought for the first time. */
export function createSearch(all: readonly CatalogEntry[]): SearchEntries {
  let scoreEntries: ReturnType<typeof createSearchIndex> | undefined;

  return (entries, { q = '', category, source }) => {
    if (category !== undefined) checkCategory(category, entries);
    const fitting = entries.filter(
      (entry) =>
        (category === undefined || entry.category === category) &&
        (source === undefined || entry.source === source),
    );
    if (q.trim() === '') return fitting.map((entry) => ({ entry, score: 0 }));
    scoreEntries ??= createSearchIndex(all);
    return ranked(fitting, scoreEntries(q));
  };
}

function ranked(
  entries: readonly CatalogEntry[],
  scores: ReadonlyMap<string, number>,
): CatalogMatch[] {
  const matches = entries
    .map((entry) => ({ entry, score: scores.get(entry.id) ?? 0 }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.entry.id < b.entry.id ? -1 : 1));
  const least = LEAST_SHARE * (matches[0]?.score ?? 0);
  return matches.filter(({ score }) => score >= least);
}

function checkCategory(category: string, entries: readonly CatalogEntry[]): void {
  const categories = [...new Set(entries.map((entry) => entry.category))].sort();
  if (categories.includes(category)) return;
  const known = categories.length === 0 ? 'there are none' : `there are ${categories.join(', ')}`;
  const message = `has no tools or does not exist; ${known}.`;
  throw new GatewayError(
    'invalid_arguments',
    `The category ${JSON.stringify(category.slice(0, 100))} ${message}`,
    { details: { errors: [{ path: '/category', message }] } },
  );
}
