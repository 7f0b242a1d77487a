import type { Caller } from '../access/keys/caller.ts';
import { type Awaitable, whenReady } from '../platform/kernel/awaitable.ts';
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

export function createListTools(catalog: Catalog): ListTools {
  function find(
    all: readonly CatalogEntry[],
    { query: q, limit, ...rest }: ToolListQuery,
  ): Awaitable<readonly CatalogEntry[]> {
    const wanted = { ...rest, ...(q === undefined ? {} : { q }) };
    return whenReady(catalog.prepareSearch(all, wanted), () =>
      catalog
        .search(all, wanted)
        .slice(0, limit)
        .map(({ entry }) => entry),
    );
  }

  function listTools(caller: Caller): readonly CatalogEntry[];
  function listTools(
    caller: Caller,
    query: ToolListQuery | undefined,
  ): Awaitable<readonly CatalogEntry[]>;
  function listTools(caller: Caller, query?: ToolListQuery) {
    const all = catalog.list(caller);
    return query === undefined ? all : find(all, query);
  }
  return listTools;
}
