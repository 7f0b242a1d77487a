import type { Caller } from '../../access/keys/caller.ts';
import type { AuditStats } from '../../audit/record/audit-record.ts';
import type { CacheStats } from '../../cache/response-cache.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import {
  createDependencyChecks,
  type Dependencies,
} from '../../platform/kernel/dependency-checks.ts';
import type { UpstreamState } from '../../upstreams/client/upstream-client.ts';
import { callerOf, type Route } from '../route.ts';
import { DETAILS_SCHEMA, HEALTH_SCHEMA, READINESS_SCHEMA } from './describe-health.ts';

export interface HealthDeps extends Dependencies {
  readonly clock: Clock;
  readonly version: string;
  /** Servers and tools that the tenant of a caller sees. */
  readonly catalogCounts: (caller: Caller) => { servers: number; tools: number };
  /** Open streams of a tenant, or of all tenants. */
  readonly streams: (tenantId?: string) => number;
  readonly audit: () => AuditStats;
  /** Whether calls can be recorded; if not, all of them are refused. */
  readonly isWritable: () => boolean;
  readonly cache: () => CacheStats;
  /** The origins in use of the tools that a caller may use. */
  readonly upstreamsFor: (caller: Caller) => UpstreamsInUse;
}

/** Upstreams, by whose traffic their figures show. */
export interface UpstreamsInUse {
  /** Those of presets, which all tenants share. */
  readonly shared: readonly UpstreamState[];
  /** Those of registered APIs, as the caller's tenant uses them. */
  readonly own: readonly UpstreamState[];
}

/** `GET /health`, `/health/ready`, `/health/serving` and `/health/detailed` (docs/contract.md#health). */
export function createHealthRoutes(deps: HealthDeps): Route[] {
  const report = (status: 'healthy' | 'degraded') => ({
    status,
    service: 'mcp-gateway',
    timestamp: new Date(deps.clock.now()).toISOString(),
  });

  const checkAll = createDependencyChecks(deps);

  async function readiness() {
    const checks = await checkAll();
    const healthy = Object.values(checks).every(({ status }) => status === 'healthy');
    return { ...report(healthy ? 'healthy' : 'degraded'), checks };
  }

  return [
    {
      method: 'GET',
      path: '/health',
      operation: 'getHealth',
      access: 'public',
      ignoresOtherQuery: true,
      tag: 'Health',
      summary: 'Liveness',
      responses: { 200: { description: 'The process responds.', schema: HEALTH_SCHEMA } },
      handle: () => ({ status: 200, headers: NO_STORE, body: report('healthy') }),
    },
    {
      method: 'GET',
      path: '/health/ready',
      operation: 'getReadiness',
      access: 'public',
      ignoresOtherQuery: true,
      tag: 'Health',
      summary: 'Readiness with dependency checks',
      responses: {
        200: { description: 'All dependencies are healthy.', schema: READINESS_SCHEMA },
        503: { description: 'A dependency is unhealthy.', schema: READINESS_SCHEMA },
      },
      handle: async () => {
        const body = await readiness();
        return { status: body.status === 'healthy' ? 200 : 503, headers: NO_STORE, body };
      },
    },
    servingRoute(() => report(deps.isWritable() ? 'healthy' : 'degraded')),
    {
      method: 'GET',
      path: '/health/detailed',
      operation: 'getHealthDetails',
      access: 'key',
      ignoresOtherQuery: true,
      tag: 'Health',
      summary: 'Figures for operators',
      description:
        "Keys of the operator's own tenant, `default`, see the figures of the whole process. Other keys see the streams of their own tenant, the origins of their own tools, and null where a figure would reveal the traffic of other tenants.",
      responses: { 200: { description: 'The report.', schema: DETAILS_SCHEMA } },
      handle: async (request) => ({
        status: 200,
        headers: NO_STORE,
        body: {
          ...(await readiness()),
          version: deps.version,
          uptimeSeconds: Math.round(process.uptime()),
          catalog: deps.catalogCounts(callerOf(request)),
          ...figuresFor(callerOf(request), deps),
        },
      }),
    },
  ];
}

/** For load balancers. */
const servingRoute = (report: () => { readonly status: string }): Route => ({
  method: 'GET',
  path: '/health/serving',
  operation: 'getServing',
  access: 'public',
  ignoresOtherQuery: true,
  tag: 'Health',
  summary: 'Whether this gateway accepts calls',
  description:
    'For load balancers. Unlike readiness, it does not depend on Redis or PostgreSQL: calls continue without them.',
  responses: {
    200: { description: 'Calls are accepted.', schema: HEALTH_SCHEMA },
    503: { description: 'All calls are refused.', schema: HEALTH_SCHEMA },
  },
  handle: () => {
    const body = report();
    return { status: body.status === 'healthy' ? 200 : 503, headers: NO_STORE, body };
  },
});

/** The tenant that the gateway creates for its operator. */
const OPERATOR_TENANT = 'default';

/** The figures that the caller may see: almost every figure reveals the traffic of other tenants. */
function figuresFor(caller: Caller, deps: HealthDeps) {
  const { shared, own } = deps.upstreamsFor(caller);
  const audit = deps.audit();
  if (caller.tenantSlug === OPERATOR_TENANT) {
    const streams = deps.streams();
    return {
      memory: memory(),
      streams,
      audit,
      cache: deps.cache(),
      upstreams: [...shared, ...own],
    };
  }
  return {
    memory: withheld(memory()),
    streams: deps.streams(caller.tenantId),
    // The reason why calls are refused concerns every tenant.
    audit: { ...withheld(audit), degraded: audit.degraded },
    cache: withheld(deps.cache()),
    upstreams: [...shared.map((state) => ({ ...state, inFlight: null })), ...own],
  };
}

/** The same members, each null. */
const withheld = <T extends object>(figures: T): Record<string, null> =>
  Object.fromEntries(Object.keys(figures).map((name) => [name, null]));

const NO_STORE = { 'cache-control': 'no-store' };

function memory() {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  return {
    rssBytes: rss,
    heapUsedBytes: heapUsed,
    heapTotalBytes: heapTotal,
    externalBytes: external,
  };
}
