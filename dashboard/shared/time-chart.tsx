import { Button, Group, Skeleton, Text } from '@mantine/core';
import { IconChartLine, IconTable } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChartKind, TimeSeries } from './chart-data.ts';
import { ChartLegend } from './chart-legend.tsx';
import { ChartTable } from './chart-table.tsx';
import classes from './time-chart.module.css';

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

const Plot = lazy(() => import('./time-plot.tsx'));
const HEIGHT = 200;

/** Series over time: a chart, and the same numbers as a table for those who cannot see it. */
export function TimeChart(props: TimeChartProps) {
  const { t } = useTranslation('shared');
  const [isTable, setTable] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  const { label, times, series, height = HEIGHT, format = String, onBrush } = props;
  const Icon = isTable ? IconChartLine : IconTable;
  return (
    <figure className={classes.root}>
      <Group component="figcaption" justify="space-between" gap="xs" wrap="nowrap">
        <Text fw={600} size="sm" component="span">
          {label}
        </Text>
        <Button
          size="compact-xs"
          flex="none"
          variant="subtle"
          color="gray"
          onClick={() => setTable(!isTable)}
          leftSection={<Icon size={14} aria-hidden />}
        >
          {t(isTable ? 'chart.showChart' : 'chart.showTable')}
        </Button>
      </Group>
      {isTable ? (
        <ChartTable label={label} times={times} series={series} format={format} />
      ) : (
        <>
          <ChartLegend series={series} times={times} at={at} format={format} />
          <Suspense fallback={<Skeleton height={height} />}>
            <div role="img" aria-label={label} title={onBrush && t('chart.brush')}>
              <Plot {...props} height={height} format={format} onCursor={setAt} />
            </div>
          </Suspense>
        </>
      )}
    </figure>
  );
}
