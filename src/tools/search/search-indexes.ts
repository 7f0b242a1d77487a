import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { CatalogLayer } from '../catalog-layer.ts';
import { createSearchIndex, MAX_TERMS, type SearchIndex } from './search-index.ts';

/** The search indexes of all layers, each built when it is first needed. */
export interface SearchIndexes {
  /** The index of a layer. Builds it at once if it is not prepared, which takes seconds for thousands of tools. */
  of(layer: CatalogLayer): SearchIndex;
  /** Builds missing indexes while other work continues, one at a time. Undefined if none is missing. */
  prepare(layers: Iterable<CatalogLayer>): Promise<void> | undefined;
  /** Takes other presets: all indexes are built again when they are needed. */
  usePresets(layer: CatalogLayer): void;
}

/** Terms in the indexes of registered tools: about 70 MB. An index has at most a quarter, so those of a search fit. */
const MAX_ALL_TERMS = 4 * MAX_TERMS;

/** Time for which the event loop may be busy with an index in one turn. */
const SLICE_MS = 5;

/**
 * The index of the presets is built at once and kept; others give way to those that are used. A layer that describes the
 * same presets again shares it: the note on a missing secret is not searched.
 */
export function createSearchIndexes(initial: CatalogLayer): SearchIndexes {
  let presets = initial;
  let presetIndex: SearchIndex | undefined;
  /** The key of each layer's index. It does not keep a layer in memory that has been replaced. */
  const keys = new WeakMap<CatalogLayer, object>();
  const isPresets = (layer: CatalogLayer): boolean =>
    layer === presets || layer.entries[0]?.source === 'preset';
  const indexes = new LRUCache<object, SearchIndex>({
    maxSize: MAX_ALL_TERMS,
    sizeCalculation: ({ terms }) => Math.min(1 + terms, MAX_TERMS),
  });
  const building = new WeakMap<CatalogLayer, Promise<void>>();
  let last: Promise<void> = Promise.resolve();

  const find = (layer: CatalogLayer): SearchIndex | undefined => {
    const key = keys.get(layer);
    return key && indexes.get(key);
  };

  const steps = ({ entries }: CatalogLayer) => createSearchIndex(entries, presets.entries.length);

  function store(layer: CatalogLayer, index: SearchIndex): SearchIndex {
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
    of(layer) {
      if (!isPresets(layer)) return find(layer) ?? store(layer, atOnce(steps(layer)));
      presetIndex ??= atOnce(createSearchIndex(presets.entries, 0));
      return presetIndex;
    },
    prepare(layers) {
      const missing = [...layers].filter((layer) => !isPresets(layer) && !find(layer));
      return missing.length === 0 ? undefined : Promise.all(missing.map(build)).then(() => {});
    },
    usePresets(layer) {
      presets = layer;
      presetIndex = undefined;
      indexes.clear();
    },
  };
}

function atOnce<R>(steps: Generator<void, R>): R {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

async function inSlices<R>(steps: Generator<void, R>): Promise<R> {
  for (;;) {
    await nextTurn();
    const startedMs = performance.now();
    do {
      const step = steps.next();
      if (step.done) return step.value;
    } while (performance.now() - startedMs < SLICE_MS);
  }
}
