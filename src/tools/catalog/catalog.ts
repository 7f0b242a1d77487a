import type { Caller } from '../../access/keys/caller.ts';
import { type Clock, systemClock } from '../../platform/kernel/clock.ts';
import { type CatalogEntry, type HasSecret, presetEntries } from '../catalog-entry.ts';
import { byId, type CatalogLayer, createLayer } from '../catalog-layer.ts';
import type { PresetServer } from '../model.ts';
import { type CatalogSearch, createSearch } from '../search/search-entries.ts';
import { type CatalogLayers, createCatalogLayers } from './catalog-layers.ts';
import { allows } from './catalog-view.ts';

/**
 * All tools, as each caller may see them: those of the presets, of the approved public APIs, and those that its own
 * tenant registered. A tool that a key may not use is hidden; another tenant's tool does not exist. An entry that has
 * been found stays valid, whatever happens to its layer.
 */
export interface Catalog extends CatalogLayers, CatalogSearch {
  /** Preset servers, sorted by id. */
  readonly servers: readonly PresetServer[];
  /** Entries of all presets for any caller, sorted by id; for the public registry. */
  readonly presetEntries: readonly CatalogEntry[];
  /** All categories that the caller's tenant sees, sorted. */
  categories(caller: Caller): readonly string[];
  /** How many servers and tools the caller's tenant sees. */
  counts(caller: Caller): { servers: number; tools: number };
  /** By tool name, as in `tools/call`. */
  find(caller: Caller, name: string): CatalogEntry | undefined;
  /** Whether the tool exists but the caller's key may not use it. The caller never learns this. */
  isDenied(caller: Caller, name: string): boolean;
  /** By entry id or by bare tool name. */
  findById(caller: Caller, idOrName: string): CatalogEntry | undefined;
  /**
   * The tools that the caller may use, sorted by id. Callers with the same rights get the same array, so that it can
   * serve as the key of prepared responses.
   */
  list(caller: Caller): readonly CatalogEntry[];
  /** Describes the tools of presets again, because other secrets are set. Entries found before stay valid. */
  describePresets(): void;
  /** Replaces all presets. Their tool names are already unique. Entries found before stay valid. */
  setPresets(presets: readonly PresetServer[]): void;
}

export interface CatalogOptions {
  /** Their tool names are already unique. */
  readonly presets: readonly PresetServer[];
  readonly clock?: Clock;
  readonly hasSecret?: HasSecret;
}

/** Creates the catalog of presets; layers of registered tools are set later. */
export function createCatalog(options: CatalogOptions): Catalog {
  const { presets, clock = systemClock, hasSecret } = options;
  const loadedAt = new WeakMap<PresetServer, string>();
  let servers: readonly PresetServer[] = [];

  function load(loaded: readonly PresetServer[]): CatalogLayer {
    servers = loaded.toSorted(byId);
    const now = new Date(clock.now()).toISOString();
    for (const preset of servers) loadedAt.set(preset, loadedAt.get(preset) ?? now);
    return describe();
  }

  const describe = () =>
    createLayer(
      servers.flatMap((preset) => presetEntries(preset, loadedAt.get(preset) ?? '', hasSecret)),
    );
  let layer = load(presets);
  const { usePresets, ...search } = createSearch(layer);
  const { viewOf, setPresetLayer, ...layers } = createCatalogLayers(layer);
  const categories = new WeakMap<readonly CatalogEntry[], readonly string[]>();

  const permitted = (caller: Caller, entry: CatalogEntry | undefined) =>
    entry && allows(caller, entry) ? entry : undefined;

  return {
    ...layers,
    ...search,
    get servers() {
      return servers;
    },
    get presetEntries() {
      return layer.entries;
    },
    categories(caller) {
      const { entries } = viewOf(caller.tenantId);
      const known = categories.get(entries);
      if (known) return known;
      const registered = entries.map(({ category }) => category);
      const ofPresets = servers.map(({ category }) => category);
      const sorted = [...new Set([...ofPresets, ...registered])].sort();
      categories.set(entries, sorted);
      return sorted;
    },
    counts({ tenantId }) {
      const { entries } = viewOf(tenantId);
      const seen = new Set(
        [...servers, ...entries.map(({ server }) => server)].map(({ id }) => id),
      );
      return { servers: seen.size, tools: entries.length };
    },
    find: (caller, name) => permitted(caller, viewOf(caller.tenantId).find(name)),
    isDenied({ tenantId, tenantSlug, allowedTools }, name) {
      const entry = viewOf(tenantId).find(name);
      return entry !== undefined && !allows({ tenantSlug, allowedTools }, entry);
    },
    findById(caller, idOrName) {
      const view = viewOf(caller.tenantId);
      return permitted(caller, view.findById(idOrName) ?? view.find(idOrName));
    },
    list: (caller) => viewOf(caller.tenantId).list(caller),
    describePresets() {
      layer = describe();
      setPresetLayer(layer);
    },
    setPresets(loaded) {
      layer = load(loaded);
      usePresets(layer);
      setPresetLayer(layer);
    },
  };
}
