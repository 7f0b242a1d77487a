import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { makeOutcome } from '../../../test/support/call-outcome.ts';
import { makeApi, makeTool } from '../../../test/support/catalog-entries.ts';
import type { FinishedCall } from '../../calls/call-tool.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { createCallMetrics } from './call-metrics.ts';

/** The text of the metrics after these calls. */
async function textOf(...calls: readonly object[]): Promise<string> {
  const registry = new Registry();
  const { metrics, observe } = createCallMetrics();
  for (const [name, add] of Object.entries(metrics)) add(registry, name);
  const { entry } = makeOutcome();
  for (const call of calls) {
    const finished = { entry, result: makeOutcome(), sent: null, durationMs: 1, ...call };
    observe(finished as unknown as FinishedCall);
  }
  return registry.metrics();
}

it('counts the calls of all registered tools under one label', async () => {
  const entries = [
    makeOutcome().entry,
    ...makeApi('a/pets', [makeTool('get_pets'), makeTool('secret_name')]),
    ...makeApi('b/open', [makeTool('open_data')]),
  ];
  const sent = { status: 200, upstreamMs: 1 };
  const text = await textOf(...entries.map((entry) => ({ entry, sent })));
  expect(text).toContain('_calls_total{tool="sky_now",outcome="ok",cache="MISS"} 1');
  expect(text).toContain('_calls_total{tool="registered",outcome="ok",cache="MISS"} 3');
  expect(text).toContain('_upstream_duration_seconds_count{server="registered",status="200"} 3');
  expect(text).not.toMatch(/get_pets|secret_name|open_data|a\/pets/);
});

it('counts durations in cumulative buckets, by tool and cache status', async () => {
  const hit = { result: { ...makeOutcome(), cacheStatus: 'HIT' } };
  const text = await textOf(
    { ...hit, durationMs: 1 },
    { ...hit, durationMs: 1.5 },
    { ...hit, durationMs: 60_000 },
    { durationMs: 300 },
  );
  const labels = 'tool="sky_now",outcome="ok",cache="HIT"';
  const name = 'tool_gateway_call_duration_seconds';
  expect(text).toContain(`# TYPE ${name} histogram`);
  const counts = text
    .split('\n')
    .filter((line) => line.startsWith(`${name}_bucket{${labels}`))
    .map((line) => Number(line.split(' ').at(-1)));
  expect(counts).toEqual([1, 2, 2, 2, 2, 2, 2, 2, 2, 3]);
  expect(text).toContain(`${name}_bucket{${labels},le="+Inf"} 3`);
  expect(text).toContain(`${name}_sum{${labels}} 60.0025`);
  expect(text).toContain(`${name}_count{tool="sky_now",outcome="ok",cache="MISS"} 1`);
});

it('counts failures by cause and code', async () => {
  const text = await textOf(
    { result: new GatewayError('upstream_timeout') },
    { result: new GatewayError('internal') },
    { result: { ...makeOutcome(), isError: true, cause: 'quota' } },
    {},
  );
  const failures = text
    .split('\n')
    .filter((line) => line.startsWith('tool_gateway_call_failures_total{'));
  expect(failures).toEqual([
    'tool_gateway_call_failures_total{cause="network",code="upstream_timeout"} 1',
    'tool_gateway_call_failures_total{cause="none",code="internal"} 1',
    'tool_gateway_call_failures_total{cause="quota",code="none"} 1',
  ]);
});

it('counts upstream requests by status, whatever an upstream sends', async () => {
  const statuses = [200, 503, null, 999];
  const text = await textOf(...statuses.map((status) => ({ sent: { status, upstreamMs: 20 } })), {
    sent: null,
  });
  const counts = text
    .split('\n')
    .filter((line) => line.startsWith('tool_gateway_upstream_duration_seconds_count{'))
    .map((line) => /status="(\w+)"} (\d+)/.exec(line)?.slice(1));
  expect(counts).toEqual([
    ['200', '1'],
    ['503', '1'],
    ['none', '1'],
    ['other', '1'],
  ]);
});
