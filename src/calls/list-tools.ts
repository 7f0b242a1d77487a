import { type Awaitable, whenReady } from '../platform/kernel/awaitable.ts';
import type { Caller } from '../platform/kernel/caller.ts';
import type { Catalog } from '../tools/catalog/catalog.ts';
import type { CatalogEntry } from '../tools/catalog-entry.ts';

/** Filters of a list of tools. */
export interface ToolListQuery {
  readonly category?: string;
  /** Search words. */
  readonly query?: string;
  readonly limit?: number;
}

/** Lists the tools that callers may use. */
export interface ListTools {
  /** All tools in stable order, and the same array until something changes. */
  (caller: Caller): readonly CatalogEntry[];
  /**
   * The tools that match a query, best first for search words. Only the first search among registered tools takes time.
   * Throws or rejects with `invalid_arguments` for an unknown category.
   */
  (caller: Caller, query: ToolListQuery | undefined): Awaitable<readonly CatalogEntry[]>;
}

export const createListTools = (catalog: Catalog): ListTools =>
  ((caller: Caller, query?: ToolListQuery) => {
    const all = catalog.list(caller);
    if (query === undefined) return all;
    const { query: q, limit, ...rest } = query;
    const wanted = { ...rest, ...(q === undefined ? {} : { q }) };
    return whenReady(catalog.prepareSearch(all, wanted), () => {
      const found = catalog.search(all, wanted).slice(0, limit);
      return found.map(({ entry }) => entry);
    });
  }) as ListTools;
