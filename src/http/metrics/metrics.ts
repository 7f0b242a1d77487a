import { collectDefaultMetrics, Registry } from 'prom-client';
import type { FinishedCall } from '../../calls/call-tool.ts';
import type { ByteBudgetStats } from '../../platform/kernel/byte-budget.ts';
import { VERSION } from '../../platform/kernel/version.ts';
import { type AuditSources, addAuditMetrics } from './audit-metrics.ts';
import { addCallMetrics } from './call-metrics.ts';
import { addConnectionMetrics, type ConnectionSources } from './connection-metrics.ts';
import { addHttpMetrics, type HttpSources } from './http-metrics.ts';
import { addLabelledGauge } from './instruments.ts';
import { addMemoryMetrics } from './memory-metrics.ts';
import { addStorageMetrics, type StorageSources } from './storage-metrics.ts';
import { addUpstreamMetrics, type UpstreamSources } from './upstream-metrics.ts';

export interface MetricsSources
  extends AuditSources,
    ConnectionSources,
    HttpSources,
    StorageSources,
    UpstreamSources {
  readonly budget: () => ByteBudgetStats;
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
  addHttpMetrics(registry, sources);
  addUpstreamMetrics(registry, sources);
  addStorageMetrics(registry, sources);
  addConnectionMetrics(registry, sources);
  addMemoryMetrics(registry, sources.budget);
  addAuditMetrics(registry, sources);
  addLabelledGauge(registry, {
    name: 'tool_gateway_build_info',
    help: 'Always 1; the version of the gateway is the label.',
    labelNames: ['version'],
    read: () => [[{ version: VERSION }, 1]],
  });
  return { registry, observe };
}
