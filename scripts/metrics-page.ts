import { table } from './catalogue/markdown.ts';
import { describedMetrics } from './described-metrics.ts';

/** The page of all metrics of the gateway. Those of Node.js differ between systems. */
export function metricsPage(): string {
  const rows = describedMetrics()
    .filter(({ name }) => name.startsWith('tool_gateway_'))
    .map(({ name, type, labels, help }) => [
      `\`${name}\``,
      type,
      labels.map((label) => `\`${label}\``).join(', '),
      help,
    ]);
  return `# Metrics

\`METRICS_PORT\` serves these metrics at \`/metrics\`, in the text format of Prometheus. [The contract](contract.md#metrics) lists the values of labels, and [observability](observability/README.md) has a dashboard and alert rules.

${table(['Metric', 'Type', 'Labels', 'Meaning'], rows)}

Labels have few values: all tools and upstreams of registered APIs share the label \`registered\`, and no label names a tenant or a key.

The metrics of Node.js and its process come on top, with names that begin with \`nodejs_\` and \`process_\`. \`nodejs_eventloop_lag_p99_seconds\` and its neighbours are measured with \`monitorEventLoopDelay\` and cover the time since the last request of \`/metrics\`.
`;
}
