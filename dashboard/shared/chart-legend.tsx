import type { TimeSeries } from './chart-data.ts';
import classes from './time-chart.module.css';
import { useFormat } from './use-format.ts';

interface ChartLegendProps {
  readonly series: readonly TimeSeries[];
  readonly times: readonly number[];
  /** The position of the pointer among the times; null elsewhere. */
  readonly at: number | null;
  readonly format: (value: number) => string;
}

/** The series by colour, with their values where the pointer is. */
export function ChartLegend({ series, times, at, format }: ChartLegendProps) {
  const { time } = useFormat();
  const moment = at === null ? undefined : times[at];
  return (
    <ul className={classes.legend}>
      {series.map(({ key, label, colour, values }) => (
        <li key={key}>
          <span className={classes.swatch} style={{ background: `var(${colour})` }} />
          {label}
          <Value value={at === null ? null : values[at]} format={format} />
        </li>
      ))}
      {moment !== undefined && <li>{time(moment)}</li>}
    </ul>
  );
}

interface ValueProps {
  readonly value: number | null | undefined;
  readonly format: (value: number) => string;
}

const Value = ({ value, format }: ValueProps) =>
  typeof value === 'number' && <span className={classes.value}>{format(value)}</span>;
