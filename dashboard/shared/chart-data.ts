export interface TimeSeries {
  readonly key: string;
  readonly label: string;
  /** A variable of `global.css`, such as `--chart-1` or `--outcome-ok`. */
  readonly colour: `--${string}`;
  /** One value for each time; null where nothing is known. */
  readonly values: readonly (number | null)[];
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
  /** Pixels. */
  readonly height?: number;
  /** Called with milliseconds since the epoch when the reader drags across the chart. */
  readonly onBrush?: (fromMs: number, toMs: number) => void;
  /** Called with the step of a point, in milliseconds since the epoch, when the reader chooses that point. */
  readonly onPick?: (fromMs: number, toMs: number) => void;
}

/** The time that a point is about: from its own to that of the next one. Null if there is no other to tell its length. */
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

/** What the axis of values covers: zero, and all values with a tenth of their height to spare. */
export function valueRange(min: number | null, max: number | null): [number, number] {
  const [low, high] = [Math.min(min ?? 0, 0), Math.max(max ?? 0, 0)];
  const spare = (high - low) / 10;
  return spare === 0 ? [0, 1] : [low < 0 ? low - spare : 0, high > 0 ? high + spare : 0];
}

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
