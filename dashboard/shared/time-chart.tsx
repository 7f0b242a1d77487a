import { Anchor, Box, Button, ColorSwatch, Group, Skeleton, Text } from '@mantine/core';
import { IconChartLine, IconTable } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CallsLink } from './calls-link.tsx';
import { stepAt, type TimeChartProps, type TimeSeries } from './chart-data.ts';
import { DataTable } from './data-table.tsx';
import classes from './time-chart.module.css';
import { useFormat } from './use-format.ts';

const Plot = lazy(() => import('./time-plot.tsx'));
const HEIGHT = 200;

/** Series over time: a chart, and the same numbers as a table for those who cannot see it. */
export function TimeChart(props: TimeChartProps) {
  const { t } = useTranslation('shared');
  const [isTable, setTable] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  const { label, times, series, height = HEIGHT, format = String, onBrush, onPick } = props;
  const Icon = isTable ? IconChartLine : IconTable;
  return (
    <Box component="figure" m={0}>
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
        <ChartTable {...{ label, times, series, format, onPick }} />
      ) : (
        <>
          <ChartLegend series={series} times={times} at={at} format={format} />
          <Suspense fallback={<Skeleton height={height} />}>
            <div
              role="img"
              aria-label={label}
              title={onBrush && t(onPick ? 'chart.brushAndPick' : 'chart.brush')}
            >
              <Plot {...props} height={height} format={format} onCursor={setAt} />
            </div>
          </Suspense>
        </>
      )}
    </Box>
  );
}

interface ChartLegendProps {
  readonly series: readonly TimeSeries[];
  readonly times: readonly number[];
  /** The position of the pointer among the times; null elsewhere. */
  readonly at: number | null;
  readonly format: (value: number) => string;
}

/** The series by colour, with their values where the pointer is. */
function ChartLegend({ series, times, at, format }: ChartLegendProps) {
  const { time, zone } = useFormat();
  const moment = at === null ? undefined : times[at];
  return (
    <Group component="ul" className={classes.legend} gap="0.1rem 1rem" c="dimmed" fz="xs">
      {series.map(({ key, label, colour, values, calls }) => (
        <Group key={key} component="li" gap={6}>
          <ColorSwatch
            component="span"
            size="0.65rem"
            radius={2}
            withShadow={false}
            color={`var(${colour})`}
          />
          <CallsLink calls={calls}>{label}</CallsLink>
          <Value value={at === null ? null : values[at]} format={format} />
        </Group>
      ))}
      <li className={classes.moment}>{moment === undefined ? zone() : time(moment)}</li>
    </Group>
  );
}

interface ValueProps {
  readonly value: number | null | undefined;
  readonly format: (value: number) => string;
}

const Value = ({ value, format }: ValueProps) =>
  typeof value === 'number' && (
    <Text span inherit fw={600} c="var(--mantine-color-text)">
      {format(value)}
    </Text>
  );

interface ChartTableProps {
  readonly label: string;
  readonly times: readonly number[];
  readonly series: readonly TimeSeries[];
  readonly format: (value: number) => string;
  readonly onPick: TimeChartProps['onPick'];
}

/** Rows beyond these add nothing that a reader could take in. */
const MAX_ROWS = 500;

/** The numbers of a chart, the newest first. */
function ChartTable({ label, times, series, format, onPick }: ChartTableProps) {
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
          {
            header: t('chart.time'),
            cell: (at) => {
              const step = onPick && stepAt(times, at);
              const text = time(times[at] ?? 0);
              return step ? (
                <Anchor component="button" size="sm" onClick={() => onPick(...step)}>
                  {text}
                </Anchor>
              ) : (
                text
              );
            },
          },
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
