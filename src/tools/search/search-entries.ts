import { GatewayError } from '../../platform/kernel/error.ts';
import type { CatalogEntry } from '../catalog-entry.ts';
import { type CatalogLayer, layerOf } from '../catalog-layer.ts';
import { createSearchIndexes } from './search-indexes.ts';

/** Longest query, in characters: enough for a long sentence. */
export const MAX_SEARCH_LENGTH = 200;

/** The filters of a list of tools. */
export interface CatalogQuery {
  /** Words to find, in English or Korean. Blank counts as absent. */
  readonly q?: string;
  readonly category?: string;
  readonly source?: string;
}

export interface CatalogMatch {
  readonly entry: CatalogEntry;
  /** How well the entry matches the words; 0 without words. */
  readonly score: number;
}

/**
 * The entries that match every part of the query: best first if it has words, otherwise in the given order. Throws
 * `invalid_arguments` for a category that none of the entries has.
 */
export type SearchEntries = (
  entries: readonly CatalogEntry[],
  query: CatalogQuery,
) => readonly CatalogMatch[];

/** The search of one catalog. */
export interface CatalogSearch {
  /**
   * Prepares a search with words among these entries, without blocking other work. Undefined if everything is ready,
   * as for presets. A search that is not prepared builds what it needs at once.
   */
  prepareSearch(entries: readonly CatalogEntry[], query: CatalogQuery): Promise<void> | undefined;
  readonly search: SearchEntries;
}

/** Changes the presets that a search knows. */
export interface PresetSearch {
  usePresets(layer: CatalogLayer): void;
}

/** Entries that score less than this share of the best one are dropped as unrelated. */
const MIN_SHARE = 0.05;

/** Creates the search of one catalog. The scores of all layers compare (docs/search.md#layers). */
export function createSearch(presets: CatalogLayer): CatalogSearch & PresetSearch {
  const indexes = createSearchIndexes(presets);

  return {
    usePresets: indexes.usePresets,
    prepareSearch: (entries, { q = '' }) =>
      q.trim() === '' ? undefined : indexes.prepare(layersOf(entries)),
    search(entries, { q = '', category, source }) {
      if (category !== undefined) checkCategory(category, entries);
      const candidates = entries.filter(
        (entry) =>
          (category === undefined || entry.category === category) &&
          (source === undefined || entry.source === source),
      );
      if (q.trim() === '') return candidates.map((entry) => ({ entry, score: 0 }));
      const scores = new Map(
        [...layersOf(candidates)].map((layer) => [layer, indexes.of(layer).score(q)]),
      );
      return ranked(candidates, (entry) => {
        const layer = layerOf(entry);
        return (layer && scores.get(layer)?.get(entry.id)) ?? 0;
      });
    },
  };
}

const layersOf = (entries: readonly CatalogEntry[]): Set<CatalogLayer> =>
  new Set(entries.map(layerOf).filter((layer) => layer !== undefined));

function ranked(
  entries: readonly CatalogEntry[],
  scoreOf: (entry: CatalogEntry) => number,
): CatalogMatch[] {
  const matches = entries
    .map((entry) => ({ entry, score: scoreOf(entry) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.entry.id < b.entry.id ? -1 : 1));
  const minScore = MIN_SHARE * (matches[0]?.score ?? 0);
  return matches.filter(({ score }) => score >= minScore);
}

function checkCategory(category: string, entries: readonly CatalogEntry[]): void {
  const categories = [...new Set(entries.map((entry) => entry.category))].sort();
  if (categories.includes(category)) return;
  const message = `does not exist or has no tools. Available: ${categories.join(', ') || 'none'}.`;
  throw new GatewayError(
    'invalid_arguments',
    `The category ${JSON.stringify(category.slice(0, 100))} ${message}`,
    { details: { errors: [{ path: '/category', message }] } },
  );
}
