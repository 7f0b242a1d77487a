import { createServer } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { AuditStats } from '../audit/audit-record.ts';
import type { FinishedCall } from '../calls/call-tool.ts';
import type { Closeable } from '../kernel/closeable.ts';
import { GatewayError } from '../kernel/error.ts';
import { listenFault } from './listen.ts';

export interface MetricsSources {
  readonly streams: () => number;
  readonly audit: () => AuditStats;
}

export interface Metrics {
  readonly registry: Registry;
  observe(finished: FinishedCall): void;
}

/** Prometheus metrics of this process. Labels never hold a tenant or a key: their number would grow for ever. */
export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const calls = new Counter({
    name: 'tool_gateway_calls_total',
    help: 'Finished tool calls.',
    labelNames: ['tool', 'outcome', 'cache'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'tool_gateway_call_duration_seconds',
    help: 'Time from the tool being known to its record being written.',
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10],
    registers: [registry],
  });
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
  gauge('tool_gateway_audit_degraded', '1 while the audit log cannot be written.', () =>
    sources.audit().degraded ? 1 : 0,
  );

  return {
    registry,
    observe: ({ entry, result, durationMs }) => {
      const failed = result instanceof GatewayError;
      const outcome = failed ? 'error' : result.isError ? 'upstream_error' : 'ok';
      const cache = failed ? 'none' : result.cacheStatus;
      calls.inc({ tool: entry.tool.name, outcome, cache });
      durations.observe(durationMs / 1000);
    },
  };
}

/** Serves `/metrics` on a port of its own, which need not be reachable for clients. Throws StartupError. */
export async function listenForMetrics(
  registry: Registry,
  host: string,
  port: number,
): Promise<Closeable & { readonly port: number }> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    void registry.metrics().then((text) => {
      response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  }).catch((error: unknown) => {
    throw listenFault(error, host, port, 'METRICS_PORT');
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
