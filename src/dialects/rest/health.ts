import type { Caller } from '../../access/keys/caller.ts';
import type { AuditStats } from '../../audit/record/audit-record.ts';
import type { CacheStats } from '../../cache/response-cache.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import type { UpstreamState } from '../../upstreams/client/upstream-client.ts';
import { callerOf, type Route } from '../route.ts';

/** A dependency that readiness depends on. */
export interface Dependency {
  readonly backend: string;
  /** Rejects when the dependency cannot be used. */
  readonly ping: () => Promise<void>;
}

export interface HealthDeps {
  readonly clock: Clock;
  readonly version: string;
  readonly database: Dependency;
  readonly redis: Dependency;
  readonly catalogCounts: () => { servers: number; tools: number };
  /** Open streams of a tenant; of all when none is named. */
  readonly streams: (tenantId?: string) => number;
  /** Origins of the tools that a caller may use. */
  readonly originsFor: (caller: Caller) => readonly string[];
  readonly audit: () => AuditStats;
  readonly cache: () => CacheStats;
  readonly upstreams: () => UpstreamState[];
}

/** A check that takes longer counts as failed (docs/contract.md#health). */
const CHECK_TIMEOUT_MS = 2000;

/** Anybody may ask, and as often as they like. */
const CHECK_AGE_MS = 1000;

interface Check {
  readonly status: 'healthy' | 'unhealthy';
  readonly latencyMs: number;
  readonly backend: string;
}

/** `GET /health`, `/health/ready` and `/health/detailed` (docs/contract.md#health). */
export function createHealthRoutes(deps: HealthDeps): Route[] {
  const report = (status: 'healthy' | 'degraded') => ({
    status,
    service: 'mcp-gateway',
    timestamp: new Date(deps.clock.now()).toISOString(),
  });

  const checkAll = sharedFor(CHECK_AGE_MS, () =>
    Promise.all([check(deps.database), check(deps.redis)]),
  );

  async function readiness() {
    const [database, redis] = await checkAll();
    const healthy = database.status === 'healthy' && redis.status === 'healthy';
    return { ...report(healthy ? 'healthy' : 'degraded'), checks: { database, redis } };
  }

  return [
    {
      method: 'GET',
      path: '/health',
      access: 'public',
      tag: 'Health',
      summary: 'Liveness',
      answers: { 200: { description: 'The process answers.', schema: REPORT_SCHEMA } },
      handle: () => ({ status: 200, headers: NO_STORE, body: report('healthy') }),
    },
    {
      method: 'GET',
      path: '/health/ready',
      access: 'public',
      tag: 'Health',
      summary: 'Readiness with dependency checks',
      answers: {
        200: { description: 'All dependencies are fine.', schema: READINESS_SCHEMA },
        503: { description: 'A dependency failed.', schema: READINESS_SCHEMA },
      },
      handle: async () => {
        const body = await readiness();
        return { status: body.status === 'healthy' ? 200 : 503, headers: NO_STORE, body };
      },
    },
    {
      method: 'GET',
      path: '/health/detailed',
      access: 'key',
      tag: 'Health',
      summary: 'Everything an operator wants to know',
      description:
        "Figures of the whole process are for keys of the operator's own tenant, `default`; others see their own tenant's streams, the origins of their own tools, and null where a figure tells of other tenants.",
      answers: { 200: { description: 'The report.', schema: READINESS_SCHEMA } },
      handle: async (request) => ({
        status: 200,
        headers: NO_STORE,
        body: {
          ...(await readiness()),
          version: deps.version,
          uptimeSeconds: Math.round(process.uptime()),
          catalog: deps.catalogCounts(),
          ...figuresFor(callerOf(request), deps),
        },
      }),
    },
  ];
}

/** The tenant that the gateway makes for its operator; its keys are those of whoever runs the process. */
const OPERATOR_TENANT = 'default';

/** What the process does, as far as the caller may know: traffic of other tenants shows in almost every figure. */
function figuresFor(caller: Caller, deps: HealthDeps) {
  const origins = new Set(deps.originsFor(caller));
  const upstreams = deps.upstreams().filter(({ origin }) => origins.has(origin));
  const audit = deps.audit();
  if (caller.tenantSlug === OPERATOR_TENANT) {
    const streams = deps.streams();
    return { memory: memory(), streams, audit, cache: deps.cache(), upstreams };
  }
  return {
    memory: withheld(memory()),
    streams: deps.streams(caller.tenantId),
    // Why calls are refused concerns everybody.
    audit: { ...withheld(audit), degraded: audit.degraded },
    cache: withheld(deps.cache()),
    upstreams: upstreams.map((state) => ({ ...state, inFlight: null })),
  };
}

/** The same members, and nothing in them. */
const withheld = <T extends object>(figures: T): Record<string, null> =>
  Object.fromEntries(Object.keys(figures).map((name) => [name, null]));

/** One piece of work for all who ask while it goes on, and for `ageMs` after it. */
function sharedFor<T>(ageMs: number, work: () => Promise<T>): () => Promise<T> {
  let shared: Promise<T> | undefined;
  let freshUntilMs = Number.POSITIVE_INFINITY;
  return () => {
    if (shared && performance.now() < freshUntilMs) return shared;
    freshUntilMs = Number.POSITIVE_INFINITY;
    shared = work().finally(() => {
      freshUntilMs = performance.now() + ageMs;
    });
    return shared;
  };
}

const NO_STORE = { 'cache-control': 'no-store' };

/** Never rejects: whatever goes wrong is `unhealthy`. */
async function check({ backend, ping }: Dependency): Promise<Check> {
  const startedMs = performance.now();
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('check timed out')), CHECK_TIMEOUT_MS);
  const status = await Promise.race([ping(), timeout]).then(
    () => 'healthy' as const,
    () => 'unhealthy' as const,
  );
  clearTimeout(timer);
  return { status, latencyMs: Math.round((performance.now() - startedMs) * 100) / 100, backend };
}

function memory() {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  return {
    rssBytes: rss,
    heapUsedBytes: heapUsed,
    heapTotalBytes: heapTotal,
    externalBytes: external,
  };
}

const REPORT_SCHEMA = {
  type: 'object',
  properties: {
    status: { enum: ['healthy', 'degraded'] },
    service: { const: 'mcp-gateway' },
    timestamp: { type: 'string', format: 'date-time' },
  },
};

const CHECK_SCHEMA = {
  type: 'object',
  properties: {
    status: { enum: ['healthy', 'unhealthy'] },
    latencyMs: { type: 'number' },
    backend: { type: 'string' },
  },
};

const READINESS_SCHEMA = {
  type: 'object',
  properties: {
    ...REPORT_SCHEMA.properties,
    checks: { type: 'object', properties: { database: CHECK_SCHEMA, redis: CHECK_SCHEMA } },
  },
};
