import type { Caller } from '../api-keys/caller.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { CatalogEntry } from '../catalog/catalog-entry.ts';

/** Every tool the caller may use, in stable order; the same array while nothing has changed. */
export type ListTools = (caller: Caller) => readonly CatalogEntry[];

export const createListTools =
  (catalog: Catalog): ListTools =>
  (caller) =>
    catalog.list(caller);
