import type { CallsFilter } from './calls-link.tsx';

export interface TimeSeries {
  readonly key: string;
  readonly label: string;
  /** A variable of `global.css`, such as `--chart-1` or `--outcome-ok`. */
  readonly colour: `--${string}`;
  /** One value for each time; null where nothing is known. */
  readonly values: readonly (number | null)[];
  /** The calls to which its legend leads. */
  readonly calls?: CallsFilter | undefined;
}

export type ChartKind = 'lines' | 'areas' | 'bars';

export interface TimeChartProps {
  /** What the chart shows; its title, and its name for screen readers. */
  readonly label: string;
  /** Milliseconds since the epoch, ascending. */
  readonly times: readonly number[];
  readonly series: readonly TimeSeries[];
  readonly kind: ChartKind;
  readonly isStacked?: boolean;
  readonly format?: (value: number) => string;
  /** The top of the axis in place of a round value: 1 for ratios. */
  readonly highest?: number;
  /** Pixels. */
  readonly height?: number;
  /** Called with milliseconds since the epoch when the reader drags across the chart. */
  readonly onBrush?: (fromMs: number, toMs: number) => void;
  /** Called with the step of a point, in milliseconds since the epoch, when the reader chooses that point. */
  readonly onPick?: (fromMs: number, toMs: number) => void;
}

/** The time that a point is about: from its own to the next point's. Null if there is no other to tell its length. */
export function stepAt(times: readonly number[], at: number): readonly [number, number] | null {
  const [from, next, before] = [times[at], times[at + 1], times[at - 1]];
  if (from === undefined) return null;
  if (next !== undefined) return [from, next];
  return before === undefined ? null : [from, from + (from - before)];
}

/** A stretch of time that ends with the step of its last point, whose calls come after its time. */
export function wholeSteps(
  times: readonly number[],
  fromMs: number,
  toMs: number,
): readonly [number, number] {
  const step = stepAt(
    times,
    times.findLastIndex((time) => time <= toMs),
  );
  return [fromMs, Math.max(toMs, step?.[1] ?? toMs)];
}

const STEPS = [1, 2, 2.5, 5, 10] as const;
const WANTED_STEPS = 4;

/**
 * What the axis of values marks: zero and round values, with the first and the last beyond all values. `highest` is the
 * last in their place, as 1 is for ratios.
 */
export function valueTicks(min: number | null, max: number | null, highest?: number): number[] {
  const [low, high] = [Math.min(min ?? 0, 0), highest ?? Math.max(max ?? 0, 0)];
  if (low === high) return [0, 1];
  const rough = (high - low) / WANTED_STEPS;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  // Counts have no halves.
  const isWhole = highest === undefined && Number.isInteger(low) && Number.isInteger(high);
  const steps = STEPS.map((step) => step * magnitude).filter((step) => !isWhole || step % 1 === 0);
  const step = steps.find((step) => step >= rough) ?? 1;
  const first = low < 0 ? Math.ceil(low / step - NOISE) - 1 : 0;
  const last =
    highest === undefined && high > 0 ? Math.floor(high / step + NOISE) + 1 : high / step;
  return Array.from({ length: Math.round(last) - first + 1 }, (_, n) => round((first + n) * step));
}

/** Of binary fractions. */
const NOISE = 1e-9;

const round = (value: number): number => Number(value.toPrecision(12));

/**
 * The values to draw: stacked series are sums of themselves and those below them, the highest first, so that the lower
 * ones are drawn over it.
 */
export function stack(series: readonly TimeSeries[]): (number | null)[][] {
  const sums: (number | null)[][] = [];
  for (const { values } of series) {
    const below = sums.at(-1);
    sums.push(values.map((value, at) => (value ?? 0) + (below?.[at] ?? 0)));
  }
  return sums.reverse();
}

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const MONTH_MS = 30 * DAY_MS;
const MINUTES = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720] as const;

/** Marks of the axis of times, and what they name. */
export interface TimeTicks {
  readonly unit: 'minute' | 'day' | 'month';
  readonly timesMs: readonly number[];
}

/**
 * At most `most` round local times of a range: beyond two days one for each day at most, beyond a year the first of
 * months.
 */
export function timeTicks(fromMs: number, toMs: number, most: number): TimeTicks {
  const length = toMs - fromMs;
  const from = new Date(fromMs);
  const [year, month, day] = [from.getFullYear(), from.getMonth(), from.getDate()];
  const between = (at: (n: number) => Date): number[] => {
    const timesMs: number[] = [];
    for (let n = 0, ms = at(0).getTime(); ms <= toMs; n++, ms = at(n).getTime()) {
      if (ms >= fromMs) timesMs.push(ms);
    }
    return timesMs;
  };
  const minutes = MINUTES.find((minutes) => length <= minutes * MINUTE_MS * most);
  if (length <= 2 * DAY_MS && minutes !== undefined) {
    const timesMs = between((n) => new Date(year, month, day, 0, n * minutes));
    return { unit: 'minute', timesMs };
  }
  if (length <= 366 * DAY_MS) {
    const days = Math.ceil(length / DAY_MS / most);
    return { unit: 'day', timesMs: between((n) => new Date(year, month, day + n * days)) };
  }
  const months = wholeYears(Math.ceil(length / MONTH_MS / most));
  const first = months < 12 ? month : 0;
  return { unit: 'month', timesMs: between((n) => new Date(year, first + n * months, 1)) };
}

const wholeYears = (months: number): number => (months < 12 ? months : Math.ceil(months / 12) * 12);

/** Where a bar is that covers a time: bars begin at their times. */
export const barAt = (times: readonly number[], ms: number): number | null => {
  const at = times.findLastIndex((time) => time <= ms);
  return at < 0 ? null : at;
};
