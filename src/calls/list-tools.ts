import type { Caller } from '../access/keys/caller.ts';
import type { Catalog } from '../tools/catalog/catalog.ts';
import type { CatalogEntry } from '../tools/catalog-entry.ts';

/** What a caller may narrow the list by. */
export interface ToolListQuery {
  readonly category?: string;
  /** Words to find. */
  readonly query?: string;
  readonly limit?: number;
}

/**
 * The tools the caller may use. Every one in stable order without a query, the same array while nothing has changed;
 * otherwise those that fit, best first when words are sought. Throws `invalid_arguments` for an unknown category.
 */
export type ListTools = (caller: Caller, query?: ToolListQuery) => readonly CatalogEntry[];

export const createListTools =
  (catalog: Catalog): ListTools =>
  (caller, query) => {
    const all = catalog.list(caller);
    if (query === undefined) return all;
    const { query: q, limit, ...rest } = query;
    const matches = catalog.search(all, { ...rest, ...(q === undefined ? {} : { q }) });
    return matches.slice(0, limit).map(({ entry }) => entry);
  };
