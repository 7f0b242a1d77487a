import { Histogram, type Registry } from 'prom-client';
import type { FinishedCall } from '../../calls/call-tool.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { createCallCounts } from './call-counts.ts';
import { addCounter } from './instruments.ts';

/** Registers the metrics of tool calls. Returns the function that observes a finished call. */
export function addCallMetrics(registry: Registry): (finished: FinishedCall) => void {
  const calls = createCallCounts();
  addCounter(registry, {
    name: 'tool_gateway_calls_total',
    help: 'Finished tool calls.',
    labelNames: ['tool', 'outcome', 'cache'],
    read: calls.entries,
  });
  const durations = new Histogram({
    name: 'tool_gateway_call_duration_seconds',
    help: 'Time from finding the tool to writing the audit record.',
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10],
    registers: [registry],
  });
  return ({ entry, result, durationMs }) => {
    const failed = result instanceof GatewayError;
    const outcome = failed ? 'error' : result.isError ? 'upstream_error' : 'ok';
    const cache = failed ? 'none' : result.cacheStatus;
    calls.add({ tool: labelOf(entry), outcome, cache });
    durations.observe(durationMs / 1000);
  };
}

/** Registered tools share one label: tenants choose their names, so their number would grow without bound. */
const labelOf = ({ source, tool }: CatalogEntry): string =>
  source === 'registered' ? 'registered' : tool.name;
