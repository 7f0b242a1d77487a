import type { Sample } from './load.ts';

/** The rounds of each target. */
export type Rounds = ReadonlyMap<string, readonly Sample[]>;

/** A performance goal, as a ratio between two targets of the same run. */
export interface Bar {
  readonly goal: string;
  readonly of: string;
  readonly to: string;
  readonly figure: 'cpuPerRequest' | 'requestsPerSecond';
  readonly atMost?: number;
  readonly atLeast?: number;
}

const NGINX = 'nginx proxy_pass';
const SDK = 'MCP SDK server';

const GATEWAY_BARS: readonly Bar[] = [
  {
    goal: 'a hit costs at most 2.2 x the CPU of bare Node.js',
    of: 'gateway hit',
    to: 'bare Node.js hit',
    figure: 'cpuPerRequest',
    atMost: 2.2,
  },
  {
    goal: 'a miss costs at most 2.5 x the CPU of bare Node.js',
    of: 'gateway miss',
    to: 'bare Node.js miss',
    figure: 'cpuPerRequest',
    atMost: 2.5,
  },
  {
    goal: 'a miss costs at most 5 x the CPU of nginx',
    of: 'gateway miss',
    to: NGINX,
    figure: 'cpuPerRequest',
    atMost: 5,
  },
  {
    goal: 'a hit costs at most 2.5 x the CPU of nginx',
    of: 'gateway hit',
    to: NGINX,
    figure: 'cpuPerRequest',
    atMost: 2.5,
  },
  {
    goal: 'misses have at least 6 x the throughput of the SDK server',
    of: 'gateway miss',
    to: SDK,
    figure: 'requestsPerSecond',
    atLeast: 6,
  },
  {
    goal: 'hits have at least 15 x the throughput of the SDK server',
    of: 'gateway hit',
    to: SDK,
    figure: 'requestsPerSecond',
    atLeast: 15,
  },
];

/** What an MCP dialect may cost: as a multiple of a plain call, and as a fraction of the cost of the SDK. */
const dialectBars = (dialect: string, sdk: string, timesPlain: number): Bar[] => [
  ...(['miss', 'hit'] as const).map(
    (outcome): Bar => ({
      goal: `a ${dialect} ${outcome} costs at most ${timesPlain} x the CPU of a plain one`,
      of: `${dialect} ${outcome}`,
      to: `gateway ${outcome}`,
      figure: 'cpuPerRequest',
      atMost: timesPlain,
    }),
  ),
  {
    goal: `a ${dialect} miss costs at most a fifth of the CPU of the SDK server`,
    of: `${dialect} miss`,
    to: sdk,
    figure: 'cpuPerRequest',
    atMost: 0.2,
  },
];

export const BARS: readonly Bar[] = [
  ...GATEWAY_BARS,
  ...dialectBars('streamable', SDK, 1.6),
  ...dialectBars('stateless', `${SDK}, stateless`, 2),
];

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const valuesOf = (rounds: Rounds, name: string, figure: keyof Sample): number[] =>
  (rounds.get(name) ?? []).map((sample) => sample[figure]);

const medianOf = (rounds: Rounds, name: string, figure: keyof Sample): number =>
  median(valuesOf(rounds, name, figure));

/** Other loads on the machine can only slow a round down, so they disturbed the best round least. */
const bestOf = (rounds: Rounds, name: string, figure: Bar['figure']): number =>
  (figure === 'cpuPerRequest' ? Math.min : Math.max)(...valuesOf(rounds, name, figure));

/** Prints the table and the bars. Returns true if a bar was missed. */
export function printReport(
  rounds: Rounds,
  rssAtStart: ReadonlyMap<string, number>,
  bars: readonly Bar[],
): boolean {
  console.table(
    [...rounds.keys()].map((name) => ({
      target: name,
      'requests/s': Math.round(medianOf(rounds, name, 'requestsPerSecond')),
      'CPU µs/request': Number(medianOf(rounds, name, 'cpuPerRequest').toFixed(1)),
      'least CPU µs': Number(bestOf(rounds, name, 'cpuPerRequest').toFixed(1)),
      'p50 ms': medianOf(rounds, name, 'p50') / 1000,
      'p99 ms': medianOf(rounds, name, 'p99') / 1000,
      'RSS at start MiB': Math.round(rssAtStart.get(name) ?? Number.NaN),
      'RSS MiB': Math.round(medianOf(rounds, name, 'rss')),
    })),
  );
  return bars.map((bar) => printBar(bar, rounds)).includes(false);
}

/** The medians decide. The best rounds show how much of a miss is due to the machine. */
function printBar(bar: Bar, rounds: Rounds): boolean {
  const { of, to, figure } = bar;
  const ratio = medianOf(rounds, of, figure) / medianOf(rounds, to, figure);
  const best = bestOf(rounds, of, figure) / bestOf(rounds, to, figure);
  const isMet = ratio <= (bar.atMost ?? Infinity) && ratio >= (bar.atLeast ?? 0);
  console.log(
    `${isMet ? 'met   ' : 'MISSED'} ${bar.goal}: ${ratio.toFixed(2)} x (${best.toFixed(2)} x in the best rounds)`,
  );
  return isMet;
}
