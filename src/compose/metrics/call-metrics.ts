import type { FinishedCall } from '../../calls/call-tool.ts';
import { causeOfError } from '../../calls/judge-response.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { counter, createDurations, histogram } from './instruments.ts';

/** The metrics of tool calls, and the function that observes a finished call. */
export function createCallMetrics() {
  const calls = createDurations();
  const requests = createDurations();
  const failures = new Map<string, number>();
  const metrics = {
    tool_gateway_calls_total: counter(
      'Finished tool calls.',
      function* () {
        for (const { labels, count } of calls.entries()) yield [...labels, count];
      },
      ['tool', 'outcome', 'cache'],
    ),
    tool_gateway_call_duration_seconds: histogram(
      'Time from finding the tool to writing the audit record.',
      calls.entries,
      ['tool', 'outcome', 'cache'],
    ),
    tool_gateway_call_failures_total: counter(
      'Calls that failed, by cause and error code; none where there is no such cause or code.',
      function* () {
        for (const [labels, count] of failures) yield [...labels.split(' '), count];
      },
      ['cause', 'code'],
    ),
    tool_gateway_upstream_duration_seconds: histogram(
      'Duration of upstream requests, retries included; the status is none without a response.',
      requests.entries,
      ['server', 'status'],
    ),
  };

  function observe({ entry, result, sent, durationMs }: FinishedCall): void {
    const failed = result instanceof GatewayError;
    const outcome = failed ? 'error' : result.isError ? 'upstream_error' : 'ok';
    const cache = failed ? 'none' : result.cacheStatus;
    calls.add(durationMs, labelOf(entry, entry.tool.name), outcome, cache);
    if (outcome !== 'ok') {
      const labels = failureOf(result);
      failures.set(labels, (failures.get(labels) ?? 0) + 1);
    }
    if (!sent) return;
    requests.add(sent.upstreamMs, labelOf(entry, entry.server.id), statusLabel(sent.status));
  }

  return { metrics, observe };
}

/** Registered tools share one label: tenants choose their names, so their number would grow without bound. */
const labelOf = ({ source }: FinishedCall['entry'], name: string): string =>
  source === 'registered' ? 'registered' : name;

/** Cause and code, with a space between them. */
const failureOf = (result: FinishedCall['result']): string =>
  result instanceof GatewayError
    ? `${causeOfError(result) ?? 'none'} ${result.code}`
    : `${result.cause ?? 'none'} none`;

/** Upstreams may send any three digits; those that HTTP does not know share one label. */
const statusLabel = (status: number | null): string => {
  if (status === null) return 'none';
  return status >= 100 && status < 600 ? String(status) : 'other';
};
