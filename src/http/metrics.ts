import { createServer } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { SecurityEvent } from '../access/trail/security-log.ts';
import type { AuditStats } from '../audit/record/audit-record.ts';
import type { RetentionStats } from '../audit/retention/audit-retention.ts';
import type { FinishedCall } from '../calls/call-tool.ts';
import type { ByteBudgetStats } from '../platform/kernel/byte-budget.ts';
import type { Closeable } from '../platform/kernel/closeable.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { createCallCounts } from './call-counts.ts';
import { type ConnectionStats, createConnections } from './connections/connections.ts';
import { SERVER_BOUNDS } from './http-server.ts';
import { listenFault } from './listen.ts';

export interface MetricsSources {
  readonly streams: () => number;
  readonly audit: () => AuditStats;
  readonly connections: () => ConnectionStats;
  readonly budget: () => ByteBudgetStats;
  readonly securityEvents: () => Readonly<Record<SecurityEvent, number>>;
  readonly retention: () => RetentionStats;
}

export interface Metrics {
  readonly registry: Registry;
  observe(finished: FinishedCall): void;
}

/** Prometheus metrics of this process. Labels never hold a tenant or a key: their number would grow for ever. */
export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const calls = createCallCounts();
  new Counter({
    name: 'tool_gateway_calls_total',
    help: 'Finished tool calls.',
    labelNames: ['tool', 'outcome', 'cache'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [{ tool, outcome, cache }, count] of calls.entries()) {
        this.inc({ tool, outcome, cache }, count);
      }
    },
  });
  const durations = new Histogram({
    name: 'tool_gateway_call_duration_seconds',
    help: 'Time from the tool being known to its record being written.',
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10],
    registers: [registry],
  });
  registry.registerMetric(
    new Counter({
      name: 'tool_gateway_security_events_total',
      help: 'What the security log tells of, lines that it left out included.',
      labelNames: ['event'],
      registers: [],
      collect() {
        this.reset();
        for (const [event, count] of Object.entries(sources.securityEvents())) {
          this.inc({ event }, count);
        }
      },
    }),
  );
  const gauge = (name: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge('tool_gateway_streams', 'Open client streams.', sources.streams);
  gauge(
    'tool_gateway_audit_outbox',
    'Records waiting for PostgreSQL.',
    () => sources.audit().outbox,
  );
  gauge(
    'tool_gateway_audit_missing',
    'Calls without a record; must be 0.',
    () => sources.audit().missing,
  );
  gauge(
    'tool_gateway_memory_budget_bytes',
    'What large bodies and answers may take of the memory.',
    () => sources.budget().limitBytes,
  );
  gauge(
    'tool_gateway_memory_used_bytes',
    'What large bodies and answers take of it now.',
    () => sources.budget().usedBytes,
  );
  new Counter({
    name: 'tool_gateway_memory_refused_total',
    help: 'Bodies and answers refused because they did not fit.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(sources.budget().refused);
    },
  });
  gauge('tool_gateway_connections', 'Open client connections.', () => sources.connections().open);
  new Counter({
    name: 'tool_gateway_connections_ended_total',
    help: 'Connections that a bound ended: unread for too long, displaced by a new one, or refused.',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      const { unread, displaced, refused } = sources.connections();
      this.inc({ reason: 'unread' }, unread);
      this.inc({ reason: 'displaced' }, displaced);
      this.inc({ reason: 'refused' }, refused);
    },
  });
  gauge(
    'tool_gateway_audit_degraded',
    '1 while the audit log cannot be written or does not get to PostgreSQL.',
    () => (sources.audit().degraded ? 1 : 0),
  );
  gauge(
    'tool_gateway_audit_oldest_waiting_seconds',
    'How long the oldest record has been waiting for PostgreSQL.',
    () => sources.audit().oldestWaitingSeconds,
  );
  gauge(
    'tool_gateway_audit_dead_letters',
    'Records that PostgreSQL refuses, kept in audit.db.',
    () => sources.audit().deadLetters,
  );
  gauge(
    'tool_gateway_audit_dead_letters_dropped',
    'Dead letters that gave way to newer ones since start.',
    () => sources.audit().deadLettersDropped,
  );
  gauge(
    'tool_gateway_audit_retention_refused',
    '1 while records that are too old by the clock are kept, because the clock may be wrong.',
    () => (sources.retention().refused ? 1 : 0),
  );
  new Counter({
    name: 'tool_gateway_audit_deleted_total',
    help: 'Audit records that retention has deleted.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(sources.retention().deleted);
    },
  });

  return {
    registry,
    observe: ({ entry, result, durationMs }) => {
      const failed = result instanceof GatewayError;
      const outcome = failed ? 'error' : result.isError ? 'upstream_error' : 'ok';
      const cache = failed ? 'none' : result.cacheStatus;
      calls.add({ tool: entry.tool.name, outcome, cache });
      durations.observe(durationMs / 1000);
    },
  };
}

/** A monitoring system needs a few. */
const MAX_METRICS_CONNECTIONS = 100;

/** Serves `/metrics` on a port of its own, which need not be reachable for clients. Throws StartupError. */
export async function listenForMetrics(
  registry: Registry,
  host: string,
  port: number,
  writeTimeoutMs: number,
): Promise<Closeable & { readonly port: number }> {
  const connections = createConnections({
    maxConnections: MAX_METRICS_CONNECTIONS,
    maxConnectionsPerAddress: MAX_METRICS_CONNECTIONS,
    writeTimeoutMs,
  });
  const server = createServer(SERVER_BOUNDS, (request, response) => {
    response.setHeader('x-content-type-options', 'nosniff');
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    void registry.metrics().then((text) => {
      response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    });
  });
  connections.watch(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  }).catch((error: unknown) => {
    throw listenFault(error, host, port, 'METRICS_PORT');
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: async () => {
      await connections.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
