import { LRUCache } from 'lru-cache';
import { mayUse, type ToolUser } from '../../platform/kernel/tool-policy.ts';
import { type CatalogEntry, slugOf } from '../catalog-entry.ts';
import { byId, type CatalogLayer, redescribeEntry, renameEntry } from '../catalog-layer.ts';
import { shortenToolName, toolName } from '../compile/tool-name.ts';

/** All tools that a tenant sees, from all layers, with unique names. */
export interface CatalogView {
  /** Sorted by id. */
  readonly entries: readonly CatalogEntry[];
  find(name: string): CatalogEntry | undefined;
  findById(id: string): CatalogEntry | undefined;
  /** The entries that the user may use. Users with the same rights get the same array. */
  list(user: ToolUser): readonly CatalogEntry[];
}

/** Lists of callers with fewer rights that each view remembers. */
const MAX_BASE_LISTS = 256;
const MAX_TENANT_LISTS = 16;

/** The view of all tenants without a layer. */
export function createBaseView({ entries }: CatalogLayer): CatalogView {
  const names = new Map(entries.map((entry) => [entry.tool.name, entry]));
  const ids = new Map(entries.map((entry) => [entry.id, entry]));
  return {
    entries,
    find: (name) => names.get(name),
    findById: (id) => ids.get(id),
    list: createLists(entries, MAX_BASE_LISTS),
  };
}

/** The base view for a tenant whose keys make the tools of presets say something else. */
export function createDescribedView(
  base: CatalogView,
  describe: (entry: CatalogEntry) => string,
): CatalogView {
  const entries = base.entries.map((entry) => redescribeEntry(entry, describe(entry)));
  const changed = new Map(
    entries.filter((entry, at) => entry !== base.entries[at]).map((entry) => [entry.id, entry]),
  );
  if (changed.size === 0) return base;
  const own = (entry: CatalogEntry | undefined) => entry && (changed.get(entry.id) ?? entry);
  return {
    entries,
    find: (name) => own(base.find(name)),
    findById: (id) => own(base.findById(id)),
    list: createLists(entries, MAX_TENANT_LISTS),
  };
}

/**
 * The view of a tenant with a layer of its own: the base view below the layer. Own tools keep their stored names; a tool of a
 * preset that was added later under the same name gets another one for this tenant.
 */
export function createTenantView(base: CatalogView, own: CatalogLayer): CatalogView {
  const names = new Map<string, CatalogEntry>();
  const isTaken = (name: string): boolean => names.has(name) || base.find(name) !== undefined;
  const kept = own.entries.map((entry) => claimName(entry, names, (name) => names.has(name)));
  const ids = new Map(kept.map((entry) => [entry.id, entry]));
  const displaced = [...names.keys()].flatMap((name) => {
    const entry = base.find(name);
    return entry && !ids.has(entry.id) ? [entry] : [];
  });
  for (const entry of displaced.sort(byId)) ids.set(entry.id, claimName(entry, names, isTaken));
  const others = base.entries.filter(({ id }) => !ids.has(id));
  const entries = [...ids.values(), ...others].sort(byId);
  return {
    entries,
    find(name) {
      const nearest = names.get(name);
      if (nearest) return nearest;
      const entry = base.find(name);
      return entry && !ids.has(entry.id) ? entry : undefined;
    },
    findById: (id) => ids.get(id) ?? base.findById(id),
    list: createLists(entries, MAX_TENANT_LISTS),
  };
}

/** Enters an entry under its name, or under another one if that is taken. */
function claimName(
  entry: CatalogEntry,
  names: Map<string, CatalogEntry>,
  isTaken: (name: string) => boolean,
): CatalogEntry {
  const wanted = entry.tool.name;
  const [name = wanted] = assignNames([wanted], isTaken, slugOf(entry));
  const claimed = name === wanted ? entry : renameEntry(entry, name);
  names.set(name, claimed);
  return claimed;
}

/** Creates the lists of a view. */
function createLists(entries: readonly CatalogEntry[], max: number): CatalogView['list'] {
  let lists: LRUCache<string, readonly CatalogEntry[]> | undefined;
  return (user) => {
    if (mayUseAll(user)) return entries;
    const { allowedTools, narrowing } = user;
    lists ??= new LRUCache({ max });
    const rights = JSON.stringify([allowedTools, narrowing]);
    const known = lists.get(rights);
    if (known) return known;
    const list = entries.filter((entry) => allows(user, entry));
    lists.set(rights, list);
    return list;
  };
}

const mayUseAll = ({ allowedTools, narrowing }: ToolUser): boolean =>
  allowedTools === null && narrowing === undefined;

export const allows = (user: ToolUser, { id, tool, category }: CatalogEntry): boolean =>
  mayUseAll(user) || mayUse(user, { id, name: tool.name, category });

/**
 * A name for each wanted one, in the given order: the wanted name if it is free, otherwise with `<slug>_` in front, as
 * often as necessary. Every name is different from the others and from those taken, and short enough for model APIs.
 * The same arguments always give the same names.
 */
export function assignNames(
  wanted: readonly string[],
  isTaken: (name: string) => boolean,
  slug: string,
): string[] {
  const assigned = new Set<string>();
  for (const name of wanted) {
    assigned.add(
      freeName(name, (candidate) => isTaken(candidate) || assigned.has(candidate), slug),
    );
  }
  return [...assigned];
}

/** Ends because the digest that replaces the end of a long name changes with every prefix. */
function freeName(name: string, isTaken: (name: string) => boolean, slug: string): string {
  const prefix = `${toolName(slug)}_`;
  let whole = name;
  let short = shortenToolName(whole);
  while (isTaken(short)) {
    whole = `${prefix}${whole}`;
    short = shortenToolName(whole);
  }
  return short;
}
