import { Histogram } from 'prom-client';
import { createMetrics, type MetricsSources } from '../src/compose/metrics/metrics.ts';
import { supervisorMetrics } from '../src/compose/metrics/worker-metrics.ts';

/** A metric of the gateway, as far as its registration says. */
export interface DescribedMetric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

/** Every metric that the gateway serves, read from the registry. Sources are never read for it. */
export function describedMetrics(): DescribedMetric[] {
  const unread = (): never => {
    throw new Error('No source is read.');
  };
  const sources = new Proxy({}, { get: () => unread }) as MetricsSources;
  const { registry } = createMetrics(sources);
  for (const [name, add] of Object.entries(supervisorMetrics(unread))) add(registry, name);
  return registry.getMetricsAsArray().map((metric) => {
    const { labelNames = [] } = metric as { labelNames?: readonly string[] };
    const { name, help } = metric;
    const type = metric instanceof Histogram ? 'histogram' : metric.constructor.name.toLowerCase();
    return { name, help, type, labels: labelNames };
  });
}
