import {
  createWorkerFigures,
  type FiguresQuery,
  type ProcessFigures,
  processMemory,
} from '../dialects/rest/process-figures.ts';
import type { Core } from './core.ts';
import type { GatewayContext } from './options.ts';
import type { Storage } from './storage.ts';

/** What this process counts. */
export const createFigures =
  ({ audit }: Storage, { hub, cache, upstreams, guarded }: Core) =>
  ({ tenantId, isOperator }: FiguresQuery): ProcessFigures => ({
    memory: processMemory(),
    streams: hub.count(isOperator ? undefined : tenantId),
    audit: audit.ledger.stats(),
    cache: cache.stats(),
    upstreams: { shared: upstreams.states(), own: guarded.client.states(tenantId) },
  });

/** What all processes that share the port count. */
export const createAddedFigures = ({ worker }: GatewayContext, storage: Storage, core: Core) =>
  createWorkerFigures({
    figures: createFigures(storage, core),
    workers: worker,
    originsFor: core.originsFor,
  });
