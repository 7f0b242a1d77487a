import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { makeOutcome } from '../../../test/support/call-outcome.ts';
import { makeApi, makeTool } from '../../../test/support/catalog-entries.ts';
import type { FinishedCall } from '../../calls/call-tool.ts';
import { addCallMetrics } from './call-metrics.ts';

it('counts the calls of all registered tools under one label', async () => {
  const registry = new Registry();
  const observe = addCallMetrics(registry);
  const entries = [
    makeOutcome().entry,
    ...makeApi('a/pets', [makeTool('get_pets'), makeTool('secret_name')]),
    ...makeApi('b/open', [makeTool('open_data')], { visibility: 'public' }),
  ];
  for (const entry of entries) {
    const finished = { entry, result: makeOutcome(), durationMs: 1 };
    observe(finished as unknown as FinishedCall);
  }
  const text = await registry.getSingleMetricAsString('tool_gateway_calls_total');
  expect(text).toContain('{tool="sky_now",outcome="ok",cache="MISS"} 1');
  expect(text).toContain('{tool="registered",outcome="ok",cache="MISS"} 3');
  expect(text).not.toMatch(/get_pets|secret_name|open_data/);
});
