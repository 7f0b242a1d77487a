import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { useLanguage } from '../texts/language.ts';
import {
  barAt,
  stack,
  stepAt,
  type TimeChartProps,
  type TimeSeries,
  type TimeTicks,
  timeTicks,
  valueTicks,
  wholeSteps,
} from './chart-data.ts';
import classes from './time-chart.module.css';
import { formatTick } from './use-format.ts';

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
/** Pixels; a shorter drag is a click. */
const MIN_BRUSH = 5;
/** Pixels around the plot. */
const TOP = 8;
const RIGHT = 8;
const LEFT = 56;
/** Pixels of the axis for each time, and half of the widest one. */
const TIME_SPACE = 80;
const HALF_TIME = 30;

const colourOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** How uPlot draws a chart in the colours of the page. */
function plotOptions(props: PlotProps, around: Surroundings): uPlot.Options {
  const { height, onBrush, onCursor, isStacked, series, times, kind } = props;
  const shown = isStacked ? series.toReversed() : series;
  const values = valueScale(props);
  const isBars = kind === 'bars';
  return {
    width: around.width,
    height,
    legend: { show: false },
    padding: [TOP, RIGHT, 0, 0],
    cursor: {
      y: false,
      drag: { x: onBrush !== undefined, y: false, setScale: false },
      points: { show: !isBars },
      ...(isBars && { dataIdx: (_plot, _series, _closest, at) => barAt(times, at * 1000) }),
    },
    scales: { x: { range: (_, from, to) => timeRange(props, from, to) }, y: values.scale },
    series: [{}, ...shown.map((one) => drawn(one, props))],
    axes: [timeAxis(around.language), values.axis],
    hooks: {
      setCursor: [({ cursor: { idxs } }) => onCursor(idxs?.[0] ?? null)],
      setSelect: [(plot) => reportBrush(plot, props)],
    },
  };
}

/** In seconds. Bars end with the step of the last one; a single point has a minute. */
function timeRange({ kind, times }: PlotProps, from: number, to: number): [number, number] {
  const last = kind === 'bars' ? stepAt(times, times.length - 1)?.[1] : undefined;
  const end = last === undefined ? to : last / 1000;
  return [from, end > from ? end : from + 60];
}

function drawn({ label, colour }: TimeSeries, { kind, isStacked }: PlotProps): uPlot.Series {
  const stroke = colourOf(colour);
  const fill = kind === 'bars' || isStacked ? stroke : `${stroke}33`;
  const bars = kind === 'bars' && uPlot.paths.bars?.({ size: [0.85], align: 1 });
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

function timeAxis(language: string): uPlot.Axis {
  let unit: TimeTicks['unit'] = 'minute';
  return {
    ...axis(),
    size: 30,
    grid: { show: false },
    splits: ({ width }, _, from, to) => {
      const pixels = Math.max(width - LEFT - RIGHT, 2 * TIME_SPACE);
      const ticks = timeTicks(from * 1000, to * 1000, Math.floor(pixels / TIME_SPACE));
      unit = ticks.unit;
      // A time at the very end would be cut.
      const last = to - ((to - from) * HALF_TIME) / pixels;
      return ticks.timesMs.map((ms) => ms / 1000).filter((seconds) => seconds <= last);
    },
    values: (_, splits) => splits.map((seconds) => formatTick(seconds * 1000, unit, language)),
  };
}

/** The axis of values, and the scale that ends with its marks. */
function valueScale({ format, highest }: PlotProps) {
  let ticks: number[] = [];
  const scale: uPlot.Scale = {
    range: (_, min, max) => {
      ticks = valueTicks(min, max, highest);
      return [ticks[0] ?? 0, ticks.at(-1) ?? 1];
    },
  };
  const values: uPlot.Axis = {
    ...axis(),
    size: LEFT,
    splits: () => ticks,
    values: (_, splits) => splits.map(format),
  };
  return { scale, axis: values };
}

function reportBrush(plot: uPlot, { times, onBrush }: PlotProps): void {
  const { left, width } = plot.select;
  if (!onBrush || width < MIN_BRUSH) return;
  const msAt = (pixels: number) => Math.round(plot.posToVal(pixels, 'x') * 1000);
  onBrush(...wholeSteps(times, msAt(left), msAt(left + width)));
  plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
}
