import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { useLanguage } from '../app/texts/use-language.ts';
import { stack } from './chart-data.ts';
import { type PlotProps, plotOptions } from './plot-options.ts';

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
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, series, isStacked, scheme, language, props.kind, props.height]);
  return <div ref={host} style={{ height: props.height }} />;
}

// biome-ignore lint/style/noDefaultExport: React.lazy loads default exports only.
export default TimePlot;
