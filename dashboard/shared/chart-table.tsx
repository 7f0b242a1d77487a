import { useTranslation } from 'react-i18next';
import type { TimeSeries } from './chart-data.ts';
import { DataTable } from './data-table.tsx';
import classes from './time-chart.module.css';
import { useFormat } from './use-format.ts';

interface ChartTableProps {
  readonly label: string;
  readonly times: readonly number[];
  readonly series: readonly TimeSeries[];
  readonly format: (value: number) => string;
}

/** Rows beyond these add nothing that a reader could take in. */
const MAX_ROWS = 500;

/** The numbers of a chart, the newest first. */
export function ChartTable({ label, times, series, format }: ChartTableProps) {
  const { t } = useTranslation('shared');
  const { time } = useFormat();
  const rows = times.map((_, at) => at).reverse();
  const show = (value: number | null | undefined) => (value == null ? '–' : format(value));
  return (
    <div className={classes.table}>
      <DataTable
        label={label}
        rows={rows.slice(0, MAX_ROWS)}
        rowKey={String}
        empty={t('chart.empty')}
        columns={[
          { key: 'time', header: t('chart.time'), cell: (at) => time(times[at] ?? 0) },
          ...series.map(({ key, label: header, values }) => ({
            key,
            header,
            align: 'end' as const,
            cell: (at: number) => show(values[at]),
          })),
        ]}
      />
    </div>
  );
}
