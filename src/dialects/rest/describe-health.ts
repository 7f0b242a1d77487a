import type { AuditStats } from '../../audit/record/audit-record.ts';
import type { CacheStats } from '../../cache/response-cache.ts';
import type { JsonSchema } from '../../tools/model.ts';
import { component, INTEGER, TEXT, TEXT_OR_NULL, TIME } from '../json-rpc/component.ts';

const REPORT = {
  status: { enum: ['healthy', 'degraded'] },
  service: { const: 'mcp-gateway' },
  timestamp: TIME,
};

/** The body of `GET /health`. */
export const HEALTH_SCHEMA = component('Health', REPORT);

const CHECK_SCHEMA = component('HealthCheck', {
  status: { enum: ['healthy', 'unhealthy'] },
  latencyMs: { type: 'number' },
  backend: { enum: ['embedded', 'postgres', 'memory', 'redis'] },
});

const READINESS = {
  ...REPORT,
  checks: component('HealthChecks', { database: CHECK_SCHEMA, redis: CHECK_SCHEMA }),
};

/** The body of `GET /health/ready`. */
export const READINESS_SCHEMA = component('Readiness', READINESS);

/** Null where a figure would reveal the traffic of other tenants. */
const FIGURE = { type: ['integer', 'null'] };
const RATIO = { type: ['number', 'null'] };

const AUDIT: Readonly<Record<keyof AuditStats, JsonSchema>> = {
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

const CACHE: Readonly<Record<keyof CacheStats, JsonSchema>> = {
  entries: FIGURE,
  bytes: FIGURE,
  hits: FIGURE,
  misses: FIGURE,
  hitRatio: RATIO,
};

/** The body of `GET /health/detailed`. */
export const DETAILS_SCHEMA = component('HealthDetails', {
  ...READINESS,
  version: TEXT,
  uptimeSeconds: INTEGER,
  catalog: component('CatalogCounts', { servers: INTEGER, tools: INTEGER }),
  streams: INTEGER,
  memory: component('MemoryFigures', {
    rssBytes: FIGURE,
    heapUsedBytes: FIGURE,
    heapTotalBytes: FIGURE,
    externalBytes: FIGURE,
  }),
  cache: component('CacheFigures', CACHE),
  audit: component('AuditFigures', AUDIT),
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
});
