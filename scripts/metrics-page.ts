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

\`METRICS_PORT\` serves these metrics at \`/metrics\`, in the text format of Prometheus. [Observability](observability/README.md) has a dashboard and alert rules; [the contract](contract.md#metrics) says how workers are added up.

${table(['Metric', 'Type', 'Labels', 'Meaning'], rows)}

Labels have few values, and none names a tenant or a key. Where something does not apply, the value is \`none\`:

- \`tool\`, \`server\`, \`upstream\`: name of the tool, id of the preset, host; \`registered\` for everything of registered APIs
- \`outcome\`, \`cause\`, \`code\`, \`cache\`: as in the [audit record](contract.md#audit-records)
- \`status\`: an HTTP status, or \`other\`
- \`reason\`: \`wrong_key\`, \`blocked\`, \`overloaded\` of authentication; \`unread\`, \`displaced\`, \`refused\` of connections
- \`state\`: \`closed\`, \`open\`, \`half_open\` of circuits; \`open\`, \`idle\`, \`waiting\` of connections; \`living\`, \`lost\` of replicas

The metrics of Node.js and its process come on top, with names that begin with \`nodejs_\` and \`process_\`. \`nodejs_eventloop_lag_p99_seconds\` and its neighbours are measured with \`monitorEventLoopDelay\` and cover the time since the last request of \`/metrics\`.
`;
}
