import type { Sample } from './load.ts';

export type Medians = ReadonlyMap<string, readonly Sample[]>;

/** What the product promises of itself, as a ratio between two targets of the same run. */
export interface Bar {
  readonly says: string;
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
    says: 'a miss costs at most 5 x the CPU of nginx',
    of: 'gateway miss',
    to: NGINX,
    figure: 'cpuPerRequest',
    atMost: 5,
  },
  {
    says: 'a hit costs at most 2.5 x the CPU of nginx',
    of: 'gateway hit',
    to: NGINX,
    figure: 'cpuPerRequest',
    atMost: 2.5,
  },
  {
    says: 'misses come at least 6 x as fast as from the SDK server',
    of: 'gateway miss',
    to: SDK,
    figure: 'requestsPerSecond',
    atLeast: 6,
  },
  {
    says: 'hits come at least 15 x as fast as from the SDK server',
    of: 'gateway hit',
    to: SDK,
    figure: 'requestsPerSecond',
    atLeast: 15,
  },
];

/** What an MCP dialect may cost: as a multiple of a plain call, and as a part of what the SDK takes. */
const dialectBars = (dialect: string, sdk: string, timesPlain: number): Bar[] => [
  ...(['miss', 'hit'] as const).map(
    (outcome): Bar => ({
      says: `a ${dialect} ${outcome} costs at most ${timesPlain} x the CPU of a plain one`,
      of: `${dialect} ${outcome}`,
      to: `gateway ${outcome}`,
      figure: 'cpuPerRequest',
      atMost: timesPlain,
    }),
  ),
  {
    says: `a ${dialect} miss costs at most a fifth of the CPU of the SDK server`,
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

const medianOf = (medians: Medians, name: string, figure: keyof Sample): number =>
  median((medians.get(name) ?? []).map((sample) => sample[figure]));

/** Prints the table and the bars; true when a bar was missed. */
export function printReport(
  medians: Medians,
  rssAtStart: ReadonlyMap<string, number>,
  bars: readonly Bar[],
): boolean {
  console.table(
    [...medians.keys()].map((name) => ({
      target: name,
      'requests/s': Math.round(medianOf(medians, name, 'requestsPerSecond')),
      'CPU µs/request': Number(medianOf(medians, name, 'cpuPerRequest').toFixed(1)),
      'p50 ms': medianOf(medians, name, 'p50') / 1000,
      'p99 ms': medianOf(medians, name, 'p99') / 1000,
      'RSS at start MiB': Math.round(rssAtStart.get(name) ?? Number.NaN),
      'RSS MiB': Math.round(medianOf(medians, name, 'rss')),
    })),
  );
  return bars.map((bar) => printBar(bar, medians)).includes(false);
}

function printBar(bar: Bar, medians: Medians): boolean {
  const ratio = medianOf(medians, bar.of, bar.figure) / medianOf(medians, bar.to, bar.figure);
  const kept = ratio <= (bar.atMost ?? Infinity) && ratio >= (bar.atLeast ?? 0);
  console.log(`${kept ? 'kept  ' : 'MISSED'} ${bar.says}: ${ratio.toFixed(2)} x`);
  return kept;
}
