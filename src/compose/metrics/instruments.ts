import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Awaitable } from '../../platform/kernel/awaitable.ts';

/** The values of the labels, and the number that has them. */
export type Sample = readonly [...labels: string[], value: number];

/** What a metric without labels has, or one with labels. */
export type Samples = number | Iterable<Sample>;

/** Adds a metric with this name to a registry. Its values are kept elsewhere, and read for each request of `/metrics`. */
export type Metric = (registry: Registry, name: string) => void;

export const counter =
  (help: string, read: () => Samples, labelNames: readonly string[] = []): Metric =>
  (registry, name) => {
    new Counter({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      collect() {
        this.reset();
        for (const [labels, count] of labelled(read(), labelNames)) this.inc(labels, count);
      },
    });
  };

/** How the values of several processes become one. */
type Aggregator = 'sum' | 'min' | 'max';

export const gauge =
  (
    help: string,
    read: () => Awaitable<Samples>,
    labelNames: readonly string[] = [],
    aggregator: Aggregator = 'sum',
  ): Metric =>
  (registry, name) => {
    new Gauge({
      name,
      help,
      aggregator,
      labelNames: [...labelNames],
      registers: [registry],
      async collect() {
        const samples = await read();
        this.reset();
        for (const [labels, value] of labelled(samples, labelNames)) this.set(labels, value);
      },
    });
  };

/** A histogram of seconds, whose values do not come from the library. */
export const histogram =
  (help: string, read: () => Iterable<Duration>, labelNames: readonly string[]): Metric =>
  (registry, name) => {
    const values = async () => ({
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      values: [...read()].flatMap((duration) =>
        samplesOf(name, labelsOf(labelNames, duration.labels), duration),
      ),
    });
    const buckets = [...BUCKETS];
    const definition = { name, help, labelNames: [...labelNames], buckets, registers: [registry] };
    Object.assign(new Histogram(definition), { get: values, getForPromString: values });
  };

/** The samples of one set of labels; the counts of buckets are cumulative. */
function samplesOf(name: string, labels: Labels, { count, sumSeconds, buckets }: Duration) {
  let sum = 0;
  return [
    ...buckets.map((own, at) => {
      sum += own;
      return {
        metricName: `${name}_bucket`,
        labels: { ...labels, le: BUCKETS[at] ?? '+Inf' },
        value: sum,
      };
    }),
    { metricName: `${name}_sum`, labels, value: sumSeconds },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

type Labels = Readonly<Record<string, string>>;

function* labelled(samples: Samples, names: readonly string[]): Generator<[Labels, number]> {
  for (const sample of typeof samples === 'number' ? [[samples] as const] : samples) {
    yield [labelsOf(names, sample), Number(sample.at(-1))];
  }
}

const labelsOf = (names: readonly string[], values: readonly unknown[]): Labels =>
  Object.fromEntries(names.map((name, at) => [name, String(values[at])]));

/** How often something happened with certain labels, and how long it took. */
export interface Duration {
  readonly labels: readonly string[];
  count: number;
  sumSeconds: number;
  /** How many took at most as long as the bound at the same place; not cumulative. The last one has no bound. */
  readonly buckets: number[];
}

/**
 * Durations by two or three labels. The library would look the labels up in a map of strings for every call, which takes
 * 0.4 us for each metric.
 */
export interface Durations {
  /** The first label decides in which short list the others are searched: it should have the most values. */
  add(ms: number, first: string, second: string, third?: string): void;
  entries(): Iterable<Duration>;
}

/** Upper bounds of the buckets, in seconds: a hit takes less than the first, and the last is the default deadline. */
const BUCKETS: readonly number[] = [0.001, 0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10];

export function createDurations(): Durations {
  const groups = new Map<string, Duration[]>();

  function start(first: string, second: string, third: string): Duration {
    const buckets = new Array<number>(BUCKETS.length + 1).fill(0);
    const fresh = { labels: [first, second, third], count: 0, sumSeconds: 0, buckets };
    const group = groups.get(first);
    if (group) group.push(fresh);
    else groups.set(first, [fresh]);
    return fresh;
  }

  function find(first: string, second: string, third: string): Duration | undefined {
    const group = groups.get(first);
    if (group === undefined) return undefined;
    for (const known of group) {
      if (known.labels[1] === second && known.labels[2] === third) return known;
    }
    return undefined;
  }

  return {
    add(ms, first, second, third = '') {
      const duration = find(first, second, third) ?? start(first, second, third);
      const seconds = ms / 1000;
      duration.count += 1;
      duration.sumSeconds += seconds;
      let at = 0;
      while (at < BUCKETS.length && seconds > (BUCKETS[at] ?? 0)) at++;
      duration.buckets[at] = (duration.buckets[at] ?? 0) + 1;
    },
    *entries() {
      for (const durations of groups.values()) yield* durations;
    },
  };
}
