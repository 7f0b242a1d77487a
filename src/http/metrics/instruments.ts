import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { BUCKETS, type Duration } from './durations.ts';

type Labels<Label extends string> = Readonly<Partial<Record<Label, string>>>;
type Labelled<Label extends string> = readonly [Labels<Label>, number];

interface Definition<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: Label[];
}

export interface CounterDefinition<Label extends string> extends Definition<Label> {
  /** Every count with its labels. */
  readonly read: () => Iterable<Labelled<Label>>;
}

export interface GaugeDefinition extends Definition<never> {
  readonly read: () => number;
}

export interface LabelledGaugeDefinition<Label extends string> extends Definition<Label> {
  readonly read: () => Iterable<Labelled<Label>> | Promise<Iterable<Labelled<Label>>>;
}

export interface HistogramDefinition<Label extends string> extends Definition<Label> {
  readonly labelNames: Label[];
  readonly read: () => Iterable<Duration<Label>>;
}

/** Registers a counter whose counts are kept elsewhere and read for each request of `/metrics`. */
export function addCounter<Label extends string>(
  registry: Registry,
  { name, help, labelNames = [], read }: CounterDefinition<Label>,
): void {
  new Counter({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, count] of read()) this.inc(labels, count);
    },
  });
}

/** Registers a gauge that is read for each request of `/metrics`. */
export const addGauge = (registry: Registry, { read, ...definition }: GaugeDefinition): void =>
  addLabelledGauge(registry, { ...definition, read: () => [[{}, read()]] });

/** Registers a gauge with labels. */
export function addLabelledGauge<Label extends string>(
  registry: Registry,
  { name, help, labelNames = [], read }: LabelledGaugeDefinition<Label>,
): void {
  new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    async collect() {
      const values = await read();
      this.reset();
      for (const [labels, value] of values) this.set(labels, value);
    },
  });
}

/** Registers a histogram of seconds whose durations are kept elsewhere. */
export function addHistogram<Label extends string>(
  registry: Registry,
  definition: HistogramDefinition<Label>,
): void {
  registry.registerMetric(new KeptHistogram(definition));
}

/** A histogram of the library whose values are not its own. `get` of the library and its text both start here. */
class KeptHistogram<Label extends string> extends Histogram<Label> {
  readonly #definition: HistogramDefinition<Label>;

  constructor(definition: HistogramDefinition<Label>) {
    const { name, help, labelNames } = definition;
    super({ name, help, labelNames, buckets: [...BUCKETS], registers: [] });
    this.#definition = definition;
  }

  async getForPromString() {
    const { name, help, read } = this.#definition;
    const values = [...read()].flatMap((duration) => samplesOf(name, duration));
    return { name, help, type: 'histogram', aggregator: 'sum', values };
  }
}

/** The samples of one set of labels; the counts of buckets are cumulative. */
function samplesOf<Label extends string>(name: string, duration: Duration<Label>) {
  const { labels, count, sumSeconds, buckets } = duration;
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
