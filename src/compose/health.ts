import type { Caller } from '../access/keys/caller.ts';
import type { Catalog } from '../tools/catalog/catalog.ts';
import type { CatalogEntry } from '../tools/catalog-entry.ts';
import type { UpstreamState } from '../upstreams/client/upstream-client.ts';
import type { Core } from './core.ts';

/** The origins in use of the tools that a caller may use: those that tenants share, and its own. */
export function upstreamsInUse(
  { catalog, upstreams, guarded }: Pick<Core, 'upstreams' | 'guarded'> & { catalog: Catalog },
  caller: Caller,
) {
  const bySource = Map.groupBy(catalog.list(caller), ({ source }) => source);
  return {
    shared: inUse(bySource.get('preset'), upstreams.states()),
    own: inUse(bySource.get('registered'), guarded.client.states(caller.tenantId)),
  };
}

/** The states of the origins that these tools have. */
function inUse(entries: readonly CatalogEntry[] = [], states: readonly UpstreamState[]) {
  const origins = new Set(entries.map(({ tool }) => new URL(tool.baseUrl).origin));
  return states.filter(({ origin }) => origins.has(origin));
}
