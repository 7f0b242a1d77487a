import { type Figures, isOperator } from '../dialects/rest/health.ts';
import type { Caller } from '../platform/kernel/caller.ts';
import type { CatalogEntry } from '../tools/catalog-entry.ts';
import type { Core } from './core.ts';
import type { GatewayContext } from './options.ts';
import type { Storage } from './storage.ts';

/** What this process counts, as far as a caller may see it, with the origins of the tools that it may use. */
export const createFigures =
  (
    { catalog }: Pick<GatewayContext, 'catalog'>,
    { audit }: Storage,
    { hub, cache, upstreams, guarded }: Core,
  ) =>
  (caller: Caller): Figures => {
    const { preset, registered } = Object.groupBy(catalog.list(caller), ({ source }) => source);
    return {
      memory: processMemory(),
      streams: hub.count(isOperator(caller) ? undefined : caller.tenantId),
      audit: audit.ledger.stats(),
      cache: cache.stats(),
      upstreams: {
        shared: upstreams.states().filter(isIn(preset)),
        own: guarded.client.states(caller.tenantId).filter(isIn(registered)),
      },
    };
  };

function isIn(
  entries: readonly CatalogEntry[] = [],
): (state: { readonly origin: string }) => boolean {
  const origins = new Set(entries.map(({ tool }) => new URL(tool.baseUrl).origin));
  return ({ origin }) => origins.has(origin);
}

function processMemory() {
  const { rss: rssBytes, heapUsed, heapTotal, external } = process.memoryUsage();
  return { rssBytes, heapUsedBytes: heapUsed, heapTotalBytes: heapTotal, externalBytes: external };
}
