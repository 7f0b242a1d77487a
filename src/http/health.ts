import type { AuditStats } from '../audit/audit-record.ts';
import type { CacheStats } from '../cache/answer-cache.ts';
import type { Route } from '../dialects/route.ts';
import type { Clock } from '../kernel/clock.ts';
import type { UpstreamState } from '../upstreams/upstream-client.ts';

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
  readonly streams: () => number;
  readonly audit: () => AuditStats;
  readonly cache: () => CacheStats;
  readonly upstreams: () => UpstreamState[];
}

/** A check that takes longer counts as failed (contract "HTTP"). */
const CHECK_TIMEOUT_MS = 2000;

interface Check {
  readonly status: 'healthy' | 'unhealthy';
  readonly latencyMs: number;
  readonly backend: string;
}

/** `GET /health`, `/health/ready` and `/health/detailed` (specification "Health report"). */
export function createHealthRoutes(deps: HealthDeps): Route[] {
  const report = (status: 'healthy' | 'degraded') => ({
    status,
    service: 'mcp-gateway',
    timestamp: new Date(deps.clock.now()).toISOString(),
  });

  async function readiness() {
    const [database, redis] = await Promise.all([check(deps.database), check(deps.redis)]);
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
      answers: { 200: { description: 'The report.', schema: READINESS_SCHEMA } },
      handle: async () => ({
        status: 200,
        headers: NO_STORE,
        body: {
          ...(await readiness()),
          version: deps.version,
          uptimeSeconds: Math.round(process.uptime()),
          memory: memory(),
          catalog: deps.catalogCounts(),
          streams: deps.streams(),
          audit: deps.audit(),
          cache: deps.cache(),
          upstreams: deps.upstreams(),
        },
      }),
    },
  ];
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
