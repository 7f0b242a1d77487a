import type { Caller } from '../../access/keys/caller.ts';
import type { ListTools, ToolListQuery } from '../../calls/list-tools.ts';
import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { byId } from '../../tools/catalog-layer.ts';
import { asReadOnly, OWN_TOOL_NAMES, type OwnToolName } from './own-tools.ts';

/** Which of the own tools a caller sees, and its lists with them. */
export interface OwnLists {
  isListed(caller: Caller, name: OwnToolName): boolean;
  /**
   * The tools that a caller sees. Without a query the list is sorted by id, and is the same array until something
   * changes. Throws or rejects with `invalid_arguments` for an unknown category.
   */
  list(caller: Caller, query: ToolListQuery | undefined): Awaitable<readonly CatalogEntry[]>;
}

export function createOwnLists(
  own: Readonly<Record<OwnToolName, CatalogEntry>>,
  listTools: ListTools,
): OwnLists {
  const writing = sortedEntries(own);
  const reading = sortedEntries({ ...own, call_tool: asReadOnly(own.call_tool) });
  /** The lists with own tools, by the list without and the names of the own tools. */
  const joined = new WeakMap<readonly CatalogEntry[], Map<string, readonly CatalogEntry[]>>();

  function ownEntries(all: readonly CatalogEntry[]): readonly CatalogEntry[] {
    const isReadOnly = all.every(({ tool }) => tool.annotations.readOnlyHint);
    return isReadOnly ? reading : writing;
  }

  function join(all: readonly CatalogEntry[], names: readonly string[]): readonly CatalogEntry[] {
    const lists = joined.get(all) ?? new Map<string, readonly CatalogEntry[]>();
    joined.set(all, lists);
    const key = names.join();
    const known = lists.get(key);
    if (known) return known;
    const added = ownEntries(all).filter(({ tool }) => names.includes(tool.name));
    // A tool of the catalog with the same name is hidden: the own one is called.
    const others = all.filter(({ tool }) => !names.includes(tool.name));
    const list = [...others, ...added].sort(byId);
    lists.set(key, list);
    return list;
  }

  return {
    isListed: ({ searches, narrowing }, name) =>
      searches === true || (narrowing?.toolset?.ownTools.includes(name) ?? false),
    list(caller, query) {
      if (caller.searches) return ownEntries(listTools(caller));
      const names = caller.narrowing?.toolset?.ownTools ?? [];
      const isFiltered = query?.query !== undefined || query?.category !== undefined;
      if (names.length === 0 || isFiltered) return listTools(caller, query);
      const list = join(listTools(caller), names);
      return query?.limit === undefined ? list : list.slice(0, query.limit);
    },
  };
}

const sortedEntries = (own: Readonly<Record<OwnToolName, CatalogEntry>>): readonly CatalogEntry[] =>
  OWN_TOOL_NAMES.map((name) => own[name]).sort(byId);
