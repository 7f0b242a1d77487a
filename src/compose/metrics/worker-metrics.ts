import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Closeable } from '../../platform/kernel/closing.ts';
import { counter, type Metric } from './instruments.ts';

type MetricsOfProcess = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** How long a worker may take to tell its metrics: it checks its database for up to two seconds. */
const ANSWER_MS = 3000;

/** Tells the supervisor the metrics of this worker at each message: it asks for nothing else. */
export function tellMetrics(registry: Registry): Closeable {
  const tell = async (): Promise<void> => {
    process.send?.({ metrics: await registry.getMetricsAsJSON() });
  };
  process.on('message', tell);
  return { close: async () => void process.off('message', tell) };
}

/**
 * Adds up the metrics of workers. What a worker has counted remains when it ends or does not answer: a sum that decreases
 * would look like a restart of everything.
 */
export function createWorkerMetrics(workers: ReadonlySet<Worker>) {
  /** The latest answer of each process that runs. */
  const latest = new Map<number, MetricsOfProcess>();
  /** What processes that have ended had counted when they answered last. */
  let past: MetricsOfProcess = [];
  const restarts = new Map<string, number>();

  cluster.on('message', ({ id }, { metrics }: { readonly metrics?: MetricsOfProcess }) => {
    if (metrics) latest.set(id, metrics);
  });
  cluster.on('exit', ({ id }) => {
    const sum = sumOf([past, countsIn(latest.get(id) ?? [])]);
    // An aggregated metric has its values, which the types of the library do not say.
    past = sum.getMetricsAsArray() as unknown as MetricsOfProcess;
    latest.delete(id);
  });

  return {
    restarted: (worker: number): void => {
      restarts.set(`${worker}`, (restarts.get(`${worker}`) ?? 0) + 1);
    },
    /** In the text format of Prometheus. */
    text: async (): Promise<string> => {
      for (const [id, metrics] of latest) latest.set(id, countsIn(metrics));
      const signal = AbortSignal.timeout(ANSWER_MS);
      await Promise.all([...workers].map((worker) => ask(worker, signal)));
      const registry = sumOf([past, ...latest.values()]);
      for (const [name, add] of Object.entries(supervisorMetrics(() => restarts))) {
        add(registry, name);
      }
      return registry.metrics();
    },
  };
}

/** Resolves once the worker has answered; with a worker that does not, when the time is up. */
async function ask(worker: Worker, signal: AbortSignal): Promise<void> {
  worker.send('metrics', () => undefined);
  await once(worker, 'message', { signal }).catch(() => undefined);
}

/** The metrics that only a gateway with workers has. */
export const supervisorMetrics = (
  restarts: Parameters<typeof counter>[1],
): Readonly<Record<string, Metric>> => ({
  tool_gateway_worker_restarts_total: counter(
    'With WORKERS: how often the worker was started again because it had ended.',
    restarts,
    ['worker'],
  ),
});

const countsIn = (metrics: MetricsOfProcess): MetricsOfProcess =>
  metrics.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));

const sumOf = (metrics: MetricsOfProcess[]): Registry => AggregatorRegistry.aggregate(metrics);
