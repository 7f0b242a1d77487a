import MiniSearch from 'minisearch';
import type { CatalogEntry } from '../catalog-entry.ts';
import type { JsonSchema } from '../model.ts';
import { termsOf, weighQuery } from './search-terms.ts';
import { isLatin } from './search-words.ts';

/** What a layer's tools are found by. */
export interface SearchIndex {
  /** Number of different terms, on which its size in memory depends. */
  readonly terms: number;
  /** The score of each entry that matches a query, by entry id. Deterministic, so that all replicas agree. */
  score(query: string): ReadonlyMap<string, number>;
}

/** Characters that are indexed of one text of a tool. */
const MAX_TEXT = 20_000;
/** Different terms in one index. The tools that follow in the order of ids are not found by words. */
export const MAX_TERMS = 25_000;

/** The indexed texts of a tool, with their weights: names weigh more than descriptions. */
const FIELDS: Readonly<Record<string, { weight: number; text: (entry: CatalogEntry) => string }>> =
  {
    name: { weight: 3, text: ({ tool }) => tool.name },
    title: { weight: 3, text: ({ tool }) => tool.title ?? '' },
    server: { weight: 3, text: ({ server }) => server.name },
    hint: { weight: 2, text: ({ tool }) => tool.searchHint ?? '' },
    description: { weight: 2, text: ({ tool }) => tool.description },
    category: { weight: 1, text: ({ category }) => category },
    parameters: { weight: 0.3, text: ({ tool }) => parametersOf(tool.inputSchema) },
  };

/** An index of some of the documents of a collection. */
class PartialIndex extends MiniSearch<CatalogEntry> {
  /** Counts documents that are not in this index, and have none of its terms, as part of the collection. */
  countOthers(documents: number): void {
    this._documentCount += documents;
  }
}

/**
 * Indexes every entry once, which takes up to a millisecond each: yields after every entry. A term weighs more the rarer
 * it is in the collection: `others` is the number of entries in it that are not in this index (docs/search.md#layers).
 */
export function* createSearchIndex(
  entries: readonly CatalogEntry[],
  others: number,
): Generator<void, SearchIndex> {
  const index = new PartialIndex({
    fields: Object.keys(FIELDS),
    extractField: (entry, name) =>
      name === 'id' ? entry.id : FIELDS[name]?.text(entry).slice(0, MAX_TEXT),
    tokenize: termsOf,
    processTerm: (term) => term,
    searchOptions: {
      boost: Object.fromEntries(Object.entries(FIELDS).map(([name, { weight }]) => [name, weight])),
      prefix: (term) => isLatin(term) && term.length > 2,
      fuzzy: (term) => isLatin(term) && term.length > 4 && (term.length > 8 ? 2 : 1),
    },
  });
  for (const entry of entries) {
    if (index.termCount >= MAX_TERMS) break;
    index.add(entry);
    yield;
  }
  index.countOthers(others);
  return {
    terms: index.termCount,
    score: (query) => {
      const weights = weighQuery(query);
      const results = index.search(query, {
        tokenize: () => [...weights.keys()],
        boostTerm: (term) => weights.get(term) ?? 0,
      });
      return new Map(results.map(({ id, score }) => [id, score]));
    },
  };
}

/** Names and descriptions of the arguments. */
function parametersOf({ properties }: JsonSchema): string {
  return Object.entries((properties ?? {}) as Record<string, JsonSchema>)
    .filter(([name]) => !name.startsWith('_'))
    .map(([name, schema]) => `${name} ${schema['description'] ?? ''}`)
    .join('\n');
}
