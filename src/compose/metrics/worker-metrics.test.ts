import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { counter, gauge, histogram } from './instruments.ts';
import { createWorkerMetrics } from './worker-metrics.ts';

/** A worker with as many calls as it is told, of which as many are in progress. */
function createWorker(number: number) {
  const worker = { calls: 0, isSilent: false };
  const registry = new Registry();
  counter('Calls.', () => [['a', worker.calls]], ['tool'])(registry, 'calls_total');
  gauge('In progress.', () => worker.calls)(registry, 'in_progress');
  gauge('The oldest.', () => worker.calls, [], 'max')(registry, 'oldest');
  const durations = () => [{ labels: ['a'], count: worker.calls, sumSeconds: 1, buckets: [] }];
  histogram('Durations.', durations, ['tool'])(registry, 'seconds');
  return Object.assign(worker, {
    number,
    restarts: () => 0,
    metrics: async () => (worker.isSilent ? undefined : registry.getMetricsAsJSON()),
  });
}

it('adds up what workers count, also of one that ends or does not answer', async () => {
  const first = createWorker(1);
  const second = createWorker(2);
  const metrics = createWorkerMetrics([first, second]);
  const lines = async () =>
    (await metrics.text())
      .split('\n')
      .filter((line) => /^(calls|in_pro|old|.*count|.*up)/.test(line));
  first.calls = 3;
  second.calls = 4;
  const both = ['calls_total{tool="a"} 7', 'seconds_count{tool="a"} 7'];
  expect(await lines()).toEqual(
    expect.arrayContaining([...both, 'in_progress 7', 'oldest 4', up(1, 1), up(2, 1)]),
  );
  second.isSilent = true;
  expect(await lines()).toEqual(
    expect.arrayContaining([...both, 'in_progress 3', 'oldest 3', up(1, 1), up(2, 0)]),
  );
  metrics.ended(2);
  expect(await lines()).toEqual(expect.arrayContaining([...both, 'in_progress 3', up(2, 0)]));
  second.isSilent = false;
  second.calls = 1;
  expect(await lines()).toEqual(
    expect.arrayContaining(['calls_total{tool="a"} 8', 'in_progress 4']),
  );
  metrics.ended(2);
  second.calls = 2;
  expect(await lines()).toContain('calls_total{tool="a"} 10');
});

const up = (worker: number, value: number): string =>
  `tool_gateway_worker_up{worker="${worker}"} ${value}`;
