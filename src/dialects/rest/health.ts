import type { AuditStats } from '../../audit/record/audit-record.ts';
import type { LostReplica, ReplicaRegistry } from '../../platform/database/replica-registry.ts';
import type { StorageReport } from '../../platform/database/storage-files.ts';
import { INTEGER, TEXT, TIME } from '../../platform/input/schema.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import type { DependencyCheck } from '../../platform/kernel/dependency-checks.ts';
import type { CacheStats } from '../../platform/kernel/http-names.ts';
import { commandLine } from '../../platform/kernel/log-lines.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import type { UpstreamState } from '../../tools/tool-connection.ts';
import { component, type MemberSchema, TEXT_OR_NULL } from '../json-rpc/component.ts';
import { callerOf, type Route, type RouteResponse } from '../route.ts';

/** What this process counts, for one caller. */
export interface Figures {
  readonly memory: Readonly<Record<string, number>>;
  readonly streams: number;
  readonly audit: AuditStats;
  readonly cache: CacheStats;
  readonly upstreams: {
    /** Those of presets, which all tenants share. */
    readonly shared: readonly UpstreamState[];
    /** Those of registered APIs, as the tenant uses them. */
    readonly own: readonly UpstreamState[];
  };
}

/** The tenant that the gateway creates for its operator. */
const OPERATOR_TENANT = 'default';

export const isOperator = ({ tenantSlug }: Caller): boolean => tenantSlug === OPERATOR_TENANT;

export interface HealthDeps {
  readonly checkDependencies: () => Promise<Readonly<Record<string, DependencyCheck>>>;
  readonly clock: Clock;
  readonly version: string;
  /** Null where it is not known. */
  readonly commit: string | null;
  /** Servers and tools that the tenant of a caller sees. */
  readonly catalogCounts: (caller: Caller) => { servers: number; tools: number };
  readonly figures: (caller: Caller) => Figures;
  /** Which of the workers responds; undefined in a single process. */
  readonly workers?: { readonly total: number; readonly respondedBy: number } | undefined;
  /** Whether the gateway accepts calls: it can record them, and has not been asked to stop. */
  readonly isServing: () => boolean;
  /** What the DATA_DIR of this process takes of its disk. */
  readonly storage: () => StorageReport;
  /** The gateways that share the database. */
  readonly replicas: Pick<ReplicaRegistry, 'living' | 'lost'>;
}

/** What all of these routes share. */
const HEALTH = { method: 'GET', ignoresOtherQuery: true, tag: 'Health' } as const;

/** `GET /health`, `/health/ready`, `/health/serving` and `/health/detailed` (docs/contract.md#health). */
export function createHealthRoutes(deps: HealthDeps): Route[] {
  const report = (isHealthy: boolean) => ({
    status: isHealthy ? 'healthy' : 'degraded',
    service: 'mcp-gateway',
    timestamp: new Date(deps.clock.now()).toISOString(),
  });

  async function readiness() {
    const checks = await deps.checkDependencies();
    const isHealthy = Object.values(checks).every(({ status }) => status === 'healthy');
    return { ...report(isHealthy), checks };
  }

  return [
    {
      ...HEALTH,
      path: '/health',
      operation: 'getHealth',
      access: 'public',
      summary: 'Liveness',
      responses: { 200: { description: 'The process responds.', schema: HEALTH_SCHEMA } },
      handle: () => respond(report(true)),
    },
    {
      ...HEALTH,
      path: '/health/ready',
      operation: 'getReadiness',
      access: 'public',
      summary: 'Readiness with dependency checks',
      responses: {
        200: { description: 'All dependencies are healthy.', schema: READINESS_SCHEMA },
        503: { description: 'A dependency is unhealthy.', schema: READINESS_SCHEMA },
      },
      handle: async () => respond(await readiness()),
    },
    {
      ...HEALTH,
      path: '/health/serving',
      operation: 'getServing',
      access: 'public',
      summary: 'Whether this gateway accepts calls',
      description:
        'For load balancers. Unlike readiness, it does not depend on Redis or PostgreSQL: calls continue without them.',
      responses: {
        200: { description: 'Calls are accepted.', schema: HEALTH_SCHEMA },
        503: {
          description: 'All calls are refused, or the gateway is about to stop.',
          schema: HEALTH_SCHEMA,
        },
      },
      handle: () => respond(report(deps.isServing())),
    },
    {
      ...HEALTH,
      path: '/health/detailed',
      operation: 'getHealthDetails',
      access: 'key',
      summary: 'Figures for operators',
      description:
        "Keys of the operator's own tenant, `default`, see the figures of the whole process. Other keys see the streams of their own tenant, the origins of their own tools, and null where a figure would reveal the traffic of other tenants.",
      responses: { 200: { description: 'The report.', schema: DETAILS_SCHEMA } },
      handle: async (request) => ({
        ...respond({
          ...(await readiness()),
          version: deps.version,
          commit: deps.commit,
          uptimeSeconds: Math.round(process.uptime()),
          catalog: deps.catalogCounts(callerOf(request)),
          ...(deps.workers && { workers: deps.workers }),
          ...figuresFor(callerOf(request), deps),
        }),
        status: 200,
      }),
    },
  ];
}

const respond = <Report extends { readonly status: string }>(report: Report): RouteResponse => ({
  status: report.status === 'healthy' ? 200 : 503,
  headers: { 'cache-control': 'no-store' },
  body: report,
});

/** The figures that the caller may see: almost every figure reveals the traffic of other tenants. */
function figuresFor(caller: Caller, { figures: figuresOf, replicas, storage }: HealthDeps) {
  const { upstreams, ...figures } = figuresOf(caller);
  const { shared, own } = upstreams;
  if (isOperator(caller)) {
    return {
      ...figures,
      storage: storage(),
      replicas: { living: replicas.living(), lost: replicas.lost().map(withAdvice) },
      upstreams: [...shared, ...own],
    };
  }
  const { memory, audit, cache } = figures;
  return {
    ...figures,
    memory: withheld(memory),
    // The reason why calls are refused concerns every tenant.
    audit: { ...withheld(audit), degraded: audit.degraded },
    cache: withheld(cache),
    storage: { freeBytes: null, files: null },
    replicas: { living: null, lost: null },
    upstreams: [...shared.map((state) => ({ ...state, inFlight: null })), ...own],
  };
}

/** What the operator does about a lost replica. */
const withAdvice = (replica: LostReplica) => ({
  ...replica,
  advice: `Start a gateway with DATA_DIR=${replica.dataDir} on ${replica.host} again, or ship its records there: ${commandLine(`audit ship --from ${replica.dataDir}`)}; if the directory no longer exists: ${commandLine(`audit ship --forget ${replica.id}`)}`,
});

/** The same members, each null. */
const withheld = <T extends object>(figures: T): Record<string, null> =>
  Object.fromEntries(Object.keys(figures).map((name) => [name, null]));

const REPORT = {
  status: { enum: ['healthy', 'degraded'] },
  service: { const: 'mcp-gateway' },
  timestamp: TIME,
};

const HEALTH_SCHEMA = component('Health', REPORT);

const CHECK_SCHEMA = component('HealthCheck', {
  status: { enum: ['healthy', 'unhealthy'] },
  latencyMs: { type: 'number' },
  backend: { enum: ['embedded', 'postgres', 'memory', 'redis'] },
});

const READINESS = {
  ...REPORT,
  checks: component('HealthChecks', { database: CHECK_SCHEMA, redis: CHECK_SCHEMA }),
};

const READINESS_SCHEMA = component('Readiness', READINESS);

/** Null where a figure would reveal the traffic of other tenants. */
const FIGURE = { type: ['integer', 'null'] };
const RATIO = { type: ['number', 'null'] };

const AUDIT: Readonly<Record<keyof AuditStats, MemberSchema>> = {
  queued: FIGURE,
  outbox: FIGURE,
  calls: FIGURE,
  records: FIGURE,
  missing: FIGURE,
  refused: FIGURE,
  lastWriteAt: TEXT_OR_NULL,
  degraded: TEXT_OR_NULL,
  oldestWaitingSeconds: RATIO,
  deadLetters: FIGURE,
  deadLettersDropped: FIGURE,
};

const CACHE: Readonly<Record<keyof CacheStats, MemberSchema>> = {
  entries: FIGURE,
  bytes: FIGURE,
  hits: FIGURE,
  misses: FIGURE,
  hitRatio: RATIO,
};

const DETAILS_SCHEMA = component(
  'HealthDetails',
  {
    ...READINESS,
    version: TEXT,
    commit: TEXT_OR_NULL,
    uptimeSeconds: INTEGER,
    catalog: component('CatalogCounts', { servers: INTEGER, tools: INTEGER }),
    streams: INTEGER,
    workers: component('WorkersFigures', {
      total: INTEGER,
      respondedBy: INTEGER,
    }),
    memory: component('MemoryFigures', {
      rssBytes: FIGURE,
      heapUsedBytes: FIGURE,
      heapTotalBytes: FIGURE,
      externalBytes: FIGURE,
    }),
    cache: component('CacheFigures', CACHE),
    audit: component('AuditFigures', AUDIT),
    storage: component('StorageFigures', {
      freeBytes: FIGURE,
      files: {
        type: ['array', 'null'],
        items: component('StorageFile', { name: TEXT, sizeBytes: INTEGER, advice: TEXT }),
      },
    }),
    replicas: component('ReplicaFigures', {
      living: FIGURE,
      lost: {
        type: ['array', 'null'],
        items: component('LostReplica', {
          id: TEXT,
          host: TEXT,
          dataDir: TEXT,
          waiting: INTEGER,
          seenAt: TIME,
          advice: TEXT,
        }),
      },
    }),
    upstreams: {
      type: 'array',
      items: component('UpstreamFigures', {
        origin: TEXT,
        circuit: { enum: ['closed', 'open', 'half_open'] },
        inFlight: FIGURE,
        p50Ms: RATIO,
        p99Ms: RATIO,
      }),
    },
  },
  ['workers'],
);
