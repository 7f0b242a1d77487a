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
