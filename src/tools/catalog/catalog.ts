import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../access/keys/caller.ts';
import { type Clock, systemClock } from '../../platform/kernel/clock.ts';
import { type CatalogEntry, type HasSecret, presetEntries } from '../catalog-entry.ts';
import type { PresetServer } from '../model.ts';
import { createSearch, type SearchEntries } from '../search/search-entries.ts';
import { mayUse } from './tool-policy.ts';

/** The tools there are, as each caller may see them. A tool a key may not use is as good as absent. */
export interface Catalog {
  /** Digest of every definition: the same on all replicas that loaded the same files. */
  readonly version: string;
  /** Preset servers, sorted by id. */
  readonly servers: readonly PresetServer[];
  /** Entries of all presets whoever asks, sorted by id; for the public registry. */
  readonly presetEntries: readonly CatalogEntry[];
  /** Categories that there are, sorted. */
  readonly categories: readonly string[];
  /** By tool name, as in `tools/call`. */
  find(caller: Caller, name: string): CatalogEntry | undefined;
  /** Whether there is such a tool and the caller's key may not use it; the caller is never told. */
  isDenied(caller: Caller, name: string): boolean;
  /** By entry id or by bare tool name. */
  findById(caller: Caller, idOrName: string): CatalogEntry | undefined;
  /**
   * What the caller may use, sorted by id. The same array for the same rights while the catalog stands, so that it
   * can serve as the key of prepared answers.
   */
  list(caller: Caller): readonly CatalogEntry[];
  /** Narrows what `list` or `presetEntries` gave. */
  readonly search: SearchEntries;
}

const REMEMBERED_LISTS = 256;

/** The catalog of the given presets; their tool names are unique already. */
export function createCatalog(
  presets: readonly PresetServer[],
  clock: Clock = systemClock,
  hasSecret?: HasSecret,
): Catalog {
  const createdAt = new Date(clock.now()).toISOString();
  const servers = presets.toSorted(byId);
  const all = servers.flatMap((preset) => presetEntries(preset, createdAt, hasSecret)).sort(byId);
  const byName = new Map(all.map((entry) => [entry.tool.name, entry]));
  const byEntryId = new Map(all.map((entry) => [entry.id, entry]));
  const categories = [...new Set(servers.map(({ category }) => category))].sort();
  const lists = new LRUCache<string, readonly CatalogEntry[]>({ max: REMEMBERED_LISTS });

  const permitted = (caller: Caller, entry: CatalogEntry | undefined) =>
    entry && allows(caller, entry) ? entry : undefined;

  return {
    version: digestOf(servers),
    servers,
    presetEntries: all,
    categories,
    find: (caller, name) => permitted(caller, byName.get(name)),
    isDenied: ({ allowedTools }, name) => {
      const entry = byName.get(name);
      return entry !== undefined && !mayUse({ allowedTools }, { name, category: entry.category });
    },
    findById: (caller, idOrName) =>
      permitted(caller, byEntryId.get(idOrName) ?? byName.get(idOrName)),
    list(caller) {
      if (caller.allowedTools === null && caller.narrowing === undefined) return all;
      const rights = JSON.stringify([caller.allowedTools, caller.narrowing]);
      const known = lists.get(rights);
      if (known) return known;
      const list = all.filter((entry) => allows(caller, entry));
      lists.set(rights, list);
      return list;
    },
    search: createSearch(all),
  };
}

const allows = (caller: Caller, { tool, category }: CatalogEntry): boolean =>
  mayUse(caller, { name: tool.name, category });

/** Code unit order, unlike localeCompare the same on every machine; cursors rely on it. */
const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id < b.id ? -1 : Number(a.id > b.id);

function digestOf(servers: readonly PresetServer[]): string {
  const hash = createHash('sha256');
  for (const server of servers) {
    const tools = server.tools.map((tool) => [tool.name, tool.version]);
    hash.update(JSON.stringify([server.id, server.title, tools]));
  }
  return hash.digest('hex').slice(0, 16);
}
