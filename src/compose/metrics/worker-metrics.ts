import { AggregatorRegistry, type Registry } from 'prom-client';
import { counter, gauge, type Metric } from './instruments.ts';

export type MetricsOfProcess = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** A worker, as far as its metrics are concerned. */
interface MeasuredWorker {
  readonly number: number;
  /** How often it was started again. */
  readonly restarts: () => number;
  /** Undefined if it does not answer in time. */
  readonly metrics: () => Promise<MetricsOfProcess | undefined>;
}

/**
 * Adds up the metrics of workers. What a worker has counted remains when it ends or does not answer: a sum that decreases
 * would look like a restart of everything.
 */
export function createWorkerMetrics(workers: readonly MeasuredWorker[]) {
  /** The latest answer of each process that runs. */
  const latest = new Map<number, MetricsOfProcess>();
  /** What processes that have ended had counted when they answered last. */
  let past: MetricsOfProcess = [];

  /** Asks a worker. If it does not answer, only its counts are known. */
  async function ask({ number, metrics }: MeasuredWorker) {
    const answer = await metrics();
    if (answer) latest.set(number, answer);
    return { number, answer, known: answer ?? countsIn(latest.get(number) ?? []) };
  }

  return {
    /** Called when the process of a worker has ended. */
    ended(number: number): void {
      const counts = countsIn(latest.get(number) ?? []);
      latest.delete(number);
      if (counts.length > 0) past = sumOf([past, counts]);
    },
    /** In the text format of Prometheus. */
    async text(): Promise<string> {
      const answers = await Promise.all(workers.map(ask));
      const registry: Registry = AggregatorRegistry.aggregate([
        past,
        ...answers.map(({ known }) => known),
      ]);
      const own = ownMetrics(
        () => answers.map(({ number, answer }) => [String(number), answer ? 1 : 0]),
        () => workers.map(({ number, restarts }) => [String(number), restarts()]),
      );
      for (const [name, add] of Object.entries(own)) add(registry, name);
      return registry.metrics();
    },
  };
}

/** The metrics that only a gateway with workers has. */
export const ownMetrics = (
  up: Parameters<typeof gauge>[1],
  restarts: Parameters<typeof counter>[1],
): Readonly<Record<string, Metric>> => ({
  tool_gateway_worker_up: gauge(
    'With WORKERS: 1 if the worker has told its metrics; else only what it had counted before is in the sums.',
    up,
    ['worker'],
  ),
  tool_gateway_worker_restarts_total: counter(
    'With WORKERS: how often the worker was started again because it had ended.',
    restarts,
    ['worker'],
  ),
});

const countsIn = (metrics: MetricsOfProcess): MetricsOfProcess =>
  metrics.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));

/** An aggregated metric has its values, which the types of the library do not say. */
const sumOf = (metrics: MetricsOfProcess[]): MetricsOfProcess =>
  AggregatorRegistry.aggregate(metrics).getMetricsAsArray() as unknown as MetricsOfProcess;
