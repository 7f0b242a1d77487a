import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { useLanguage } from '../texts/language.ts';
import {
  stack,
  stepAt,
  type TimeChartProps,
  type TimeSeries,
  valueRange,
  wholeSteps,
} from './chart-data.ts';
import classes from './time-chart.module.css';

/** The canvas of a TimeChart, in a file of its own so that pages without a chart do not load uPlot. */
function TimePlot(props: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  const language = useLanguage();
  const { times, series, isStacked } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a canvas takes its colours only when it is made.
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const values = isStacked ? stack(series) : series.map((one) => [...one.values]);
    const seconds = times.map((ms) => ms / 1000);
    const width = element.clientWidth;
    const plot = new uPlot(plotOptions(props, { language, width }), [seconds, ...values], element);
    const observer = new ResizeObserver(() => {
      plot.setSize({ width: element.clientWidth, height: props.height });
    });
    observer.observe(element);
    // A click that ends a drag does not arrive here: uPlot stops it.
    plot.over.addEventListener('click', () => {
      const step = stepAt(times, plot.cursor.idx ?? -1);
      if (step) props.onPick?.(...step);
    });
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, series, isStacked, scheme, language, props.kind, props.height]);
  return (
    <div
      ref={host}
      className={props.onPick && classes.choosable}
      style={{ height: props.height }}
    />
  );
}

// biome-ignore lint/style/noDefaultExport: React.lazy loads default exports only.
export default TimePlot;

interface PlotProps extends TimeChartProps {
  readonly height: number;
  readonly format: (value: number) => string;
  /** Called with the position of the pointer among the times; null when it leaves. */
  readonly onCursor: (at: number | null) => void;
}

interface Surroundings {
  readonly language: string;
  readonly width: number;
}

const FONT = '11px system-ui, sans-serif';
const DAY_SECONDS = 86_400;
/** Pixels; a shorter drag is a click. */
const MIN_BRUSH = 5;

const colourOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** How uPlot draws a chart in the colours of the page. */
function plotOptions(props: PlotProps, around: Surroundings): uPlot.Options {
  const { height, format, onBrush, onCursor, isStacked, series } = props;
  const shown = isStacked ? series.toReversed() : series;
  return {
    width: around.width,
    height,
    legend: { show: false },
    padding: [8, 8, 0, 0],
    cursor: { y: false, drag: { x: onBrush !== undefined, y: false, setScale: false } },
    scales: { y: { range: (_, min, max) => valueRange(min, max) } },
    series: [{}, ...shown.map((one) => drawn(one, props))],
    axes: [timeAxis(around.language), valueAxis(format)],
    hooks: {
      setCursor: [({ cursor: { idx } }) => onCursor(idx ?? null)],
      setSelect: [(plot) => reportBrush(plot, props)],
    },
  };
}

function drawn({ label, colour }: TimeSeries, { kind, isStacked }: PlotProps): uPlot.Series {
  const stroke = colourOf(colour);
  const fill = kind === 'bars' || isStacked ? stroke : `${stroke}33`;
  const bars = kind === 'bars' && uPlot.paths.bars?.({ size: [0.85, 48] });
  return {
    label,
    stroke,
    width: kind === 'bars' ? 0 : 1.5,
    // A line has no length where a value stands alone.
    points: { show: kind !== 'bars', filter: lonePoints, size: 5, fill: stroke },
    ...(kind !== 'lines' && { fill }),
    ...(bars && { paths: bars }),
  };
}

const lonePoints: uPlot.Series.Points.Filter = (plot, series) => {
  const values = plot.data[series] ?? [];
  const isMissing = (index: number) => values[index] === undefined || values[index] === null;
  return Array.from(values.keys()).filter(
    (index) => !isMissing(index) && isMissing(index - 1) && isMissing(index + 1),
  );
};

const axis = (): uPlot.Axis => ({
  stroke: colourOf('--mantine-color-dimmed'),
  font: FONT,
  grid: { stroke: colourOf('--page-line'), width: 1 },
  ticks: { show: false },
});

const timeAxis = (language: string): uPlot.Axis => ({
  ...axis(),
  size: 30,
  grid: { show: false },
  values: (_, splits) => splits.map(timeFormat(splits, language)),
});

const valueAxis = (format: (value: number) => string): uPlot.Axis => ({
  ...axis(),
  size: 56,
  values: (_, splits) => splits.map(format),
});

/** Times of day within a day, else dates. */
function timeFormat(splits: readonly number[], language: string): (seconds: number) => string {
  const span = (splits.at(-1) ?? 0) - (splits[0] ?? 0);
  const options: Intl.DateTimeFormatOptions =
    span > 2 * DAY_SECONDS
      ? { month: 'short', day: 'numeric' }
      : { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  const format = new Intl.DateTimeFormat(language, options);
  return (seconds) => format.format(seconds * 1000);
}

function reportBrush(plot: uPlot, { times, onBrush }: PlotProps): void {
  const { left, width } = plot.select;
  if (!onBrush || width < MIN_BRUSH) return;
  const msAt = (pixels: number) => Math.round(plot.posToVal(pixels, 'x') * 1000);
  onBrush(...wholeSteps(times, msAt(left), msAt(left + width)));
  plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
}
