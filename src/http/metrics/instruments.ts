import { Counter, Gauge, type Registry } from 'prom-client';

type Labelled<Label extends string> = readonly [Readonly<Partial<Record<Label, string>>>, number];

export interface CounterDefinition<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: Label[];
  /** Every count with its labels. */
  readonly read: () => Iterable<Labelled<Label>>;
}

export interface GaugeDefinition {
  readonly name: string;
  readonly help: string;
  readonly read: () => number;
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
export function addGauge(registry: Registry, { name, help, read }: GaugeDefinition): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}
