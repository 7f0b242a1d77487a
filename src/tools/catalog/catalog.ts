import type { Caller } from '../../platform/kernel/caller.ts';
import { memoizeEach } from '../../platform/kernel/memo.ts';
import { type Clock, systemClock } from '../../platform/kernel/time.ts';
import {
  type CatalogEntry,
  type HasSecret,
  type PresetNotes,
  presetDescription,
  presetEntries,
} from '../catalog-entry.ts';
import { byId, type CatalogLayer, createLayer } from '../catalog-layer.ts';
import type { PresetServer } from '../model.ts';
import { createSearch } from '../search/search-entries.ts';
import { createCatalogLayers } from './catalog-layers.ts';
import { allows, type CatalogView } from './catalog-view.ts';

export type Catalog = ReturnType<typeof createCatalog>;

const named = (view: CatalogView, nameOrId: string): CatalogEntry | undefined =>
  view.find(nameOrId) ?? view.findById(nameOrId);

export interface CatalogOptions {
  /** Their tool names are already unique. */
  readonly presets: readonly PresetServer[];
  readonly clock?: Clock;
  readonly hasSecret?: HasSecret;
}

const isSet: HasSecret = () => true;

/** Returns what describes these tools with the notes; other tools describe themselves. */
function textsOf(entries: readonly CatalogEntry[], notes: PresetNotes) {
  const texts = new Map<string, string>();
  for (const entry of entries) {
    const text = presetDescription(entry, notes);
    if (text !== entry.description) texts.set(entry.id, text);
  }
  return ({ id, description }: CatalogEntry): string => texts.get(id) ?? description;
}

/**
 * Creates the catalog: all tools, as each caller may see them: the tools of the presets, and the tools that its own tenant
 * registered. A tool that a key may not use is hidden; another tenant's tool does not exist. An entry
 * that has been found stays valid, whatever happens to its layer.
 */
export function createCatalog({ presets, clock = systemClock, hasSecret = isSet }: CatalogOptions) {
  const loadedAt = new WeakMap<PresetServer, string>();
  let servers: readonly PresetServer[] = [];
  let notes: PresetNotes = { hasSecret, noteOn: () => undefined };

  function load(loaded: readonly PresetServer[]): CatalogLayer {
    servers = loaded.toSorted(byId);
    const now = new Date(clock.now()).toISOString();
    for (const preset of servers) loadedAt.set(preset, loadedAt.get(preset) ?? now);
    return describe();
  }

  const describe = () =>
    createLayer(
      servers.flatMap((preset) => presetEntries(preset, loadedAt.get(preset) ?? '', notes)),
    );
  let layer = load(presets);
  const { usePresets, ...search } = createSearch(layer);
  const { viewOf, setPresetLayer, describeTenants, ...layers } = createCatalogLayers(layer);
  const categoriesOf = memoizeEach((entries: readonly CatalogEntry[]): readonly string[] =>
    [...new Set([...servers, ...entries].map(({ category }) => category))].sort(),
  );

  const permitted = (caller: Caller, entry: CatalogEntry | undefined) =>
    entry && allows(caller, entry) ? entry : undefined;

  return {
    ...layers,
    ...search,
    /** Preset servers, sorted by id. */
    get servers(): readonly PresetServer[] {
      return servers;
    },
    /** Entries of all presets for any caller, sorted by id; for the public registry. */
    get presetEntries(): readonly CatalogEntry[] {
      return layer.entries;
    },
    /** All categories that the caller's tenant sees, sorted. */
    categories: ({ tenantId }: Caller): readonly string[] => categoriesOf(viewOf(tenantId).entries),
    /** How many servers and tools the caller's tenant sees. */
    counts({ tenantId }: Caller): { servers: number; tools: number } {
      const { entries } = viewOf(tenantId);
      const seen = [...servers, ...entries.map(({ server }) => server)].map(({ id }) => id);
      return { servers: new Set(seen).size, tools: entries.length };
    },
    /** By tool name or entry id, as in `tools/call`. */
    find: (caller: Caller, name: string): CatalogEntry | undefined =>
      permitted(caller, named(viewOf(caller.tenantId), name)),
    /** Whether the tool exists but the caller's key may not use it. The caller never learns this. */
    isDenied({ tenantId, allowedTools }: Caller, name: string): boolean {
      const entry = named(viewOf(tenantId), name);
      return entry !== undefined && !allows({ allowedTools }, entry);
    },
    /** By entry id or by bare tool name. */
    findById(caller: Caller, idOrName: string): CatalogEntry | undefined {
      const view = viewOf(caller.tenantId);
      return permitted(caller, view.findById(idOrName) ?? view.find(idOrName));
    },
    /**
     * The tools that the caller may use, sorted by id. Callers with the same rights get the same array, so that it can
     * serve as the key of prepared responses.
     */
    list: (caller: Caller): readonly CatalogEntry[] => viewOf(caller.tenantId).list(caller),
    /** Describes the tools of presets again, because other secrets are set or other notes apply. Entries found before stay valid. */
    describePresets(next = notes): void {
      notes = next;
      layer = describe();
      setPresetLayer(layer);
    },
    /**
     * Describes the tools of presets to tenants with keys of their own, by tenant; to all others, they say the same. The
     * notes are read now, so that what a tenant sees does not depend on when it looks.
     */
    describeTenants: (byTenant: ReadonlyMap<string, PresetNotes>): void =>
      describeTenants(
        new Map([...byTenant].map(([tenantId, own]) => [tenantId, textsOf(layer.entries, own)])),
      ),
    /** Replaces all presets. Their tool names are already unique. Entries found before stay valid. */
    setPresets(loaded: readonly PresetServer[]): void {
      layer = load(loaded);
      usePresets(layer);
      setPresetLayer(layer);
    },
  };
}
