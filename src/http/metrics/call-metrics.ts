import type { Registry } from 'prom-client';
import type { FinishedCall } from '../../calls/call-tool.ts';
import { causeOfError } from '../../calls/judge-response.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { createCounts } from './counts.ts';
import { createDurations } from './durations.ts';
import { addCounter, addHistogram } from './instruments.ts';

/** Registers the metrics of tool calls. Returns the function that observes a finished call. */
export function addCallMetrics(registry: Registry): (finished: FinishedCall) => void {
  const calls = createDurations(['tool', 'outcome', 'cache']);
  const requests = createDurations(['server', 'status']);
  const failures = createCounts<'cause' | 'code'>();
  addCounter(registry, {
    name: 'tool_gateway_calls_total',
    help: 'Finished tool calls.',
    labelNames: ['tool', 'outcome', 'cache'],
    read: function* () {
      for (const { labels, count } of calls.entries()) yield [labels, count];
    },
  });
  addHistogram(registry, {
    name: 'tool_gateway_call_duration_seconds',
    help: 'Time from finding the tool to writing the audit record.',
    labelNames: ['tool', 'outcome', 'cache'],
    read: calls.entries,
  });
  addCounter(registry, {
    name: 'tool_gateway_call_failures_total',
    help: 'Calls that failed, by cause and error code; none where there is no such cause or code.',
    labelNames: ['cause', 'code'],
    read: failures.entries,
  });
  addHistogram(registry, {
    name: 'tool_gateway_upstream_duration_seconds',
    help: 'Duration of upstream requests, retries included; the status is none without a response.',
    labelNames: ['server', 'status'],
    read: requests.entries,
  });
  return ({ entry, result, sent, durationMs }) => {
    const failed = result instanceof GatewayError;
    const outcome = failed ? 'error' : result.isError ? 'upstream_error' : 'ok';
    const cache = failed ? 'none' : result.cacheStatus;
    calls.add(durationMs, labelOf(entry, entry.tool.name), outcome, cache);
    if (outcome !== 'ok') failures.add(failureOf(result));
    if (!sent) return;
    requests.add(sent.upstreamMs, labelOf(entry, entry.server.id), statusLabel(sent.status));
  };
}

/** Registered tools share one label: tenants choose their names, so their number would grow without bound. */
const labelOf = ({ source }: CatalogEntry, name: string): string =>
  source === 'registered' ? 'registered' : name;

const failureOf = (result: FinishedCall['result']) =>
  result instanceof GatewayError
    ? { cause: causeOfError(result) ?? 'none', code: result.code }
    : { cause: result.cause ?? 'none', code: 'none' };

/** Upstreams may send any three digits; those that HTTP does not know share one label. */
const statusLabel = (status: number | null): string => {
  if (status === null) return 'none';
  return status >= 100 && status < 600 ? String(status) : 'other';
};
