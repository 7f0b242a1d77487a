import type { Caller } from '../../access/keys/caller.ts';
import type { DependencyCheck } from '../../platform/kernel/dependency-checks.ts';
import { isoTime } from '../../platform/kernel/iso-time.ts';
import type { ProviderQuota, Statistics } from '../../statistics/statistics.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import type { UpstreamState } from '../../upstreams/client/upstream-client.ts';
import { operatorRoute, tenantRoute } from './admin-route.ts';
import { personCaller } from './person-caller.ts';
import { type StatisticsNamesDeps, toolName } from './statistics-names.ts';

export interface StatusRoutesDeps {
  readonly checkDependencies: () => Promise<{
    readonly database: DependencyCheck;
    readonly redis: DependencyCheck;
  }>;
  /** The origins in use of the tools that a caller may use. */
  readonly upstreamsFor: (caller: Caller) => {
    readonly shared: readonly UpstreamState[];
    readonly own: readonly UpstreamState[];
  };
  /** The origins of presets, which all tenants share. */
  readonly allUpstreams: () => readonly UpstreamState[];
}

interface QuotaDeps extends StatisticsNamesDeps {
  readonly statistics: Pick<Statistics, 'providerQuota'>;
  readonly catalog: Pick<Catalog, 'findById' | 'presetEntries'>;
}

/** How dependencies and upstreams are now, and how much of the provider keys' quotas is used. */
export const createStatusRoutes = (deps: StatusRoutesDeps & QuotaDeps) => ({
  'GET /tenants/:tenant/statistics/status': tenantRoute('viewer', {
    input: {},
    handle: async (context) => {
      const { shared, own } = deps.upstreamsFor(personCaller(context));
      return status(deps, [...shared, ...own]);
    },
  }),
  'GET /statistics/status': operatorRoute({
    input: {},
    handle: () => status(deps, deps.allUpstreams()),
  }),
  'GET /statistics/quota': operatorRoute({
    input: {},
    handle: async () => {
      const quotas = await deps.statistics.providerQuota(toolsOfSecrets(deps));
      return { quotas: await Promise.all(quotas.map((quota) => describeQuota(deps, quota))) };
    },
  }),
});

async function status(
  { checkDependencies }: StatusRoutesDeps,
  upstreams: readonly UpstreamState[],
) {
  const paused = upstreams.filter(({ circuit }) => circuit !== 'closed');
  return {
    dependencies: Object.entries(await checkDependencies()).map(([name, check]) => ({
      name,
      ...check,
    })),
    upstreamsInUse: upstreams.length,
    circuits: paused.map(({ origin, circuit }) => ({ origin, circuit })),
  };
}

/** The tools of presets by the secrets that they need. */
function toolsOfSecrets({ catalog }: QuotaDeps): Record<string, string[]> {
  const needed = catalog.presetEntries.flatMap(({ id, tool }) =>
    tool.secrets.map((secret) => ({ secret, id })),
  );
  return Object.fromEntries(
    [...Map.groupBy(needed, ({ secret }) => secret)].map(([secret, tools]) => [
      secret,
      tools.map(({ id }) => id),
    ]),
  );
}

async function describeQuota(deps: QuotaDeps, quota: ProviderQuota) {
  const tenants = new Map((await deps.tenants()).map(({ id, slug }) => [id, slug]));
  const names = await deps.keyNames(quota.users.map(({ apiKeyId }) => apiKeyId));
  return {
    secret: quota.secret,
    requestsToday: quota.requestsToday,
    resetsAt: isoTime(quota.resetsAtMs),
    tools: quota.tools.map(({ toolId, requests }) => ({
      tool: toolName(deps, undefined, toolId),
      requests,
    })),
    users: quota.users.map(({ tenantId, apiKeyId, requests }) => ({
      tenant: tenants.get(tenantId) ?? null,
      key: names.get(apiKeyId) ?? null,
      apiKeyId,
      requests,
    })),
  };
}
