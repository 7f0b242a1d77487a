import { collectDefaultMetrics, Registry } from 'prom-client';
import type { SecurityEvent } from '../../access/trail/security-log.ts';
import type { FinishedCall } from '../../calls/call-tool.ts';
import type { ByteBudgetStats } from '../../platform/kernel/byte-budget.ts';
import { type AuditSources, addAuditMetrics } from './audit-metrics.ts';
import { addCallMetrics } from './call-metrics.ts';
import { addConnectionMetrics, type ConnectionSources } from './connection-metrics.ts';
import { addCounter } from './instruments.ts';
import { addMemoryMetrics } from './memory-metrics.ts';

export interface MetricsSources extends AuditSources, ConnectionSources {
  readonly budget: () => ByteBudgetStats;
  readonly securityEvents: () => Readonly<Record<SecurityEvent, number>>;
}

export interface Metrics {
  readonly registry: Registry;
  observe(finished: FinishedCall): void;
}

/** Prometheus metrics of this process. No label names a tenant or a key: their number would grow without bound. */
export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const observe = addCallMetrics(registry);
  addCounter(registry, {
    name: 'tool_gateway_security_events_total',
    help: 'Events of the security log, including those whose lines were suppressed.',
    labelNames: ['event'],
    read: () =>
      Object.entries(sources.securityEvents()).map(([event, count]) => [{ event }, count]),
  });
  addConnectionMetrics(registry, sources);
  addMemoryMetrics(registry, sources.budget);
  addAuditMetrics(registry, sources);
  return { registry, observe };
}
