import { LRUCache } from 'lru-cache';
import MiniSearch from 'minisearch';
import { atOnce, inSlices } from '../../platform/kernel/in-slices.ts';
import type { CatalogEntry } from '../catalog-entry.ts';
import type { CatalogLayer } from '../catalog-layer.ts';
import type { JsonSchema } from '../model.ts';
import { isLatin, termsOf, weighQuery } from './search-terms.ts';

/** What a layer's tools are found by. */
interface SearchIndex {
  /** Number of different terms, on which its size in memory depends. */
  readonly terms: number;
  /** The score of each entry that matches a query, by entry id. Deterministic, so that all replicas agree. */
  score(query: string): ReadonlyMap<string, number>;
}

/** Characters that are indexed of one text of a tool. */
const MAX_TEXT = 20_000;
/** Different terms in one index. The tools that follow in the order of ids are not found by words. */
const MAX_TERMS = 25_000;

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
function* createSearchIndex(
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

function parametersOf({ properties }: JsonSchema): string {
  return Object.entries((properties ?? {}) as Record<string, JsonSchema>)
    .filter(([name]) => !name.startsWith('_'))
    .map(([name, schema]) => `${name} ${schema['description'] ?? ''}`)
    .join('\n');
}

/** Terms in the indexes of registered tools: about 70 MB. An index has at most a quarter, so the indexes of a search fit. */
const MAX_ALL_TERMS = 4 * MAX_TERMS;

/**
 * The index of the presets is kept; others give way to those that are used. A layer that describes the same presets again
 * shares it: the note on a missing secret is not searched.
 */
export function createSearchIndexes(initial: CatalogLayer) {
  let presets = initial;
  let presetIndex: SearchIndex | undefined;
  /** The key of each layer's index. It does not keep a layer in memory that has been replaced. */
  const keys = new WeakMap<CatalogLayer, object>();
  /** The layer whose index has the tools of a layer. */
  const indexed = (layer: CatalogLayer): CatalogLayer =>
    layer.entries[0]?.source === 'preset' ? presets : layer;
  const indexes = new LRUCache<object, SearchIndex>({
    maxSize: MAX_ALL_TERMS,
    sizeCalculation: ({ terms }) => Math.min(1 + terms, MAX_TERMS),
  });
  const building = new WeakMap<CatalogLayer, Promise<void>>();
  let last: Promise<void> = Promise.resolve();

  const find = (layer: CatalogLayer): SearchIndex | undefined => {
    if (layer === presets) return presetIndex;
    const key = keys.get(layer);
    return key && indexes.get(key);
  };

  const steps = (layer: CatalogLayer) =>
    createSearchIndex(layer.entries, layer === presets ? 0 : presets.entries.length);

  function store(layer: CatalogLayer, index: SearchIndex): SearchIndex {
    if (layer === presets) {
      presetIndex = index;
      return index;
    }
    const key = {};
    keys.set(layer, key);
    indexes.set(key, index);
    return index;
  }

  function build(layer: CatalogLayer): Promise<void> {
    const known = building.get(layer);
    if (known !== undefined) return known;
    const built = last
      .then(() => inSlices(steps(layer)))
      .then((index) => void store(layer, index))
      .finally(() => building.delete(layer));
    last = built.catch(() => undefined);
    building.set(layer, built);
    return built;
  }

  return {
    /** The index of a layer. Builds it at once if it is not prepared, which takes seconds for thousands of tools. */
    of(asked: CatalogLayer): SearchIndex {
      const layer = indexed(asked);
      return find(layer) ?? store(layer, atOnce(steps(layer)));
    },
    /** Builds missing indexes while other work continues, one at a time. Undefined if none is missing. */
    prepare(layers: Iterable<CatalogLayer>): Promise<void> | undefined {
      const missing = [...new Set(Array.from(layers, indexed))].filter((layer) => !find(layer));
      return missing.length === 0 ? undefined : Promise.all(missing.map(build)).then(() => {});
    },
    /** Takes other presets: all indexes are built again when they are needed. */
    usePresets(layer: CatalogLayer): void {
      presets = layer;
      presetIndex = undefined;
      indexes.clear();
    },
  };
}
