import { actorCaller } from '../../platform/input/operation.ts';
import { type Clock, isoTime, zonedDay } from '../../platform/kernel/time.ts';
import type { FailingTool, FailingTools } from '../../statistics/failing-tools.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { tenantRoute } from './admin-route.ts';

export interface FailingRoutesDeps {
  readonly failingTools: FailingTools;
  readonly catalog: Pick<Catalog, 'findById'>;
  readonly ready: (tenantId: string) => Promise<unknown> | unknown;
  readonly clock: Clock;
}

/** `GET /tenants/:tenant/failing`: the tools that fail for the tenant, and what repairs them. */
export const createFailingRoutes = ({
  failingTools,
  catalog,
  ready,
  clock,
}: FailingRoutesDeps) => ({
  'GET /tenants/:tenant/failing': tenantRoute('viewer', {
    input: {},
    handle: async (context) => {
      await ready(context.tenant.id);
      const caller = actorCaller(context);
      const failing = await failingTools(context.tenant.id);
      return {
        // A tool that was deleted needs no repair.
        tools: [...failing.values()].flatMap((tool) => {
          const entry = catalog.findById(caller, tool.toolId);
          return entry ? [describe(tool, entry, clock.now())] : [];
        }),
      };
    },
  }),
});

/** Where providers are who do not say when their day begins. */
const DEFAULT_ZONE = 'Asia/Seoul';

const describe = (
  { toolId, sinceMs, calls, cause, status, code }: FailingTool,
  { tool }: CatalogEntry,
  nowMs: number,
) => ({
  tool: tool.name,
  toolId,
  since: isoTime(sinceMs),
  calls,
  cause,
  status,
  code,
  /** When the quota is available again. */
  resetsAt:
    cause === 'quota' ? isoTime(zonedDay(nowMs, tool.quota?.zone ?? DEFAULT_ZONE).endMs) : null,
  /** The page of the dataset, where its use is applied for. */
  applyUrl: cause === 'not_approved' ? tool.source.docUrl : null,
});
