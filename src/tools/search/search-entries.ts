import { GatewayError } from '../../platform/kernel/error.ts';
import type { CatalogEntry } from '../catalog-entry.ts';
import { byId, type CatalogLayer, layerOf } from '../catalog-layer.ts';
import { createSearchIndexes } from './search-indexes.ts';

/** Longest query, in characters: enough for a long sentence. */
export const MAX_SEARCH_LENGTH = 200;

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

/** Entries that score less than this share of the best one are dropped as unrelated. */
const MIN_SHARE = 0.05;

/** Creates the search of one catalog. The scores of all layers compare (docs/search.md#layers). */
export function createSearch(presets: CatalogLayer) {
  const indexes = createSearchIndexes(presets);

  return {
    usePresets: indexes.usePresets,
    /**
     * Prepares a search with words among these entries, without blocking other work. Undefined if everything is ready.
     * A search that is not prepared builds what it needs at once.
     */
    prepareSearch: (
      entries: readonly CatalogEntry[],
      { q = '' }: CatalogQuery,
    ): Promise<void> | undefined =>
      q.trim() === '' ? undefined : indexes.prepare(layersOf(entries)),
    /**
     * The entries that match every part of the query: best first if it has words, otherwise in the given order. Throws
     * `invalid_arguments` for a category that none of the entries has.
     */
    search(entries: readonly CatalogEntry[], query: CatalogQuery): readonly CatalogMatch[] {
      const { q = '', category, source } = query;
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
      const matches = candidates.flatMap((entry) => {
        const layer = layerOf(entry);
        const score = (layer && scores.get(layer)?.get(entry.id)) ?? 0;
        return score > 0 ? { entry, score } : [];
      });
      matches.sort((a, b) => b.score - a.score || byId(a.entry, b.entry));
      const minScore = MIN_SHARE * (matches[0]?.score ?? 0);
      return matches.filter(({ score }) => score >= minScore);
    },
  };
}

const layersOf = (entries: readonly CatalogEntry[]): Set<CatalogLayer> =>
  new Set(entries.map(layerOf).filter((layer) => layer !== undefined));

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
