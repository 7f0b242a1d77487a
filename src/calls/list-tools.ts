import { type Awaitable, whenReady } from '../platform/kernel/awaitable.ts';
import type { Caller } from '../platform/kernel/caller.ts';
import { closest } from '../platform/kernel/closest.ts';
import { GatewayError } from '../platform/kernel/error.ts';
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

/** For a tool that does not exist or that the caller may not use: the tool that is meant, or else what to do next. */
export function unknownTool(
  name: string,
  listed: readonly CatalogEntry[],
  otherwise: string,
): GatewayError {
  const similar = closest(
    name,
    listed.map(({ tool }) => tool.name),
  );
  const next = similar ? `Did you mean ${similar}?` : otherwise;
  return new GatewayError('tool_not_found', `Unknown tool ${quotedName(name)}. ${next}`);
}

/** A name that a caller has sent, in part if it is long. */
export const quotedName = (name: string): string => JSON.stringify(name.slice(0, 100));
