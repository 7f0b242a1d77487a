import type { CatalogEntry } from './catalog-entry.ts';

/**
 * Tools that are replaced together: the tools of all presets, or the tools that one tenant registered. A layer never changes.
 * What is prepared for it (bytes of lists, search) is shared by all who see it.
 */
export interface CatalogLayer {
  /** Increases with every layer that replaces another. */
  readonly version: number;
  /** Sorted by id. */
  readonly entries: readonly CatalogEntry[];
}

const layers = new WeakMap<CatalogEntry, CatalogLayer>();

/** Creates a layer. Throws if two entries have the same id. */
export function createLayer(entries: readonly CatalogEntry[], version = 0): CatalogLayer {
  const sorted = entries.toSorted(byId);
  const twice = sorted.find(({ id }, at) => sorted[at + 1]?.id === id);
  if (twice) throw new Error(`The tool ${twice.id} is twice in one layer of the catalog.`);
  const layer = { version, entries: sorted };
  for (const entry of sorted) layers.set(entry, layer);
  return layer;
}

/** The newest layer that has the entry, or the entry from which it was renamed. */
export const layerOf = (entry: CatalogEntry): CatalogLayer | undefined => layers.get(entry);

const renamed = new WeakMap<CatalogEntry, Map<string, CatalogEntry>>();

/** The entry under another name. Always the same object for the same name, so that it is prepared once. */
export function renameEntry(entry: CatalogEntry, name: string): CatalogEntry {
  const byName = renamed.get(entry) ?? new Map<string, CatalogEntry>();
  renamed.set(entry, byName);
  const known = byName.get(name);
  if (known) return known;
  const fresh = { ...entry, tool: { ...entry.tool, name } };
  const layer = layerOf(entry);
  if (layer) layers.set(fresh, layer);
  byName.set(name, fresh);
  return fresh;
}

/** The entry with another description, found by the search as before; the same object if the description is the same. */
export function redescribeEntry(entry: CatalogEntry, description: string): CatalogEntry {
  if (description === entry.description) return entry;
  const fresh = { ...entry, description };
  const layer = layerOf(entry);
  if (layer) layers.set(fresh, layer);
  return fresh;
}

/** Code unit order, which is the same on every machine, unlike the order of localeCompare. Cursors rely on it. */
export const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id < b.id ? -1 : Number(a.id > b.id);
