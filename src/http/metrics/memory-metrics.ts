import type { Registry } from 'prom-client';
import type { ByteBudgetStats } from '../../platform/kernel/byte-budget.ts';
import { addCounter, addGauge } from './instruments.ts';

/** Registers the metrics of the memory budget. */
export function addMemoryMetrics(registry: Registry, budget: () => ByteBudgetStats): void {
  addGauge(registry, {
    name: 'tool_gateway_memory_budget_bytes',
    help: 'Memory that large bodies and responses may use.',
    read: () => budget().limitBytes,
  });
  addGauge(registry, {
    name: 'tool_gateway_memory_used_bytes',
    help: 'Memory that large bodies and responses use now.',
    read: () => budget().usedBytes,
  });
  addCounter(registry, {
    name: 'tool_gateway_memory_refused_total',
    help: 'Bodies and responses refused because they did not fit.',
    read: () => [[{}, budget().refused]],
  });
}
