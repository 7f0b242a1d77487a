import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { TimeChartProps, TimeSeries } from '../shared/chart-data.ts';
import { TimeChart } from '../shared/time-chart.tsx';
import { useFormat } from '../shared/use-format.ts';
import classes from './overview.module.css';
import type { Series } from './overview-queries.ts';

type Line = Series['groups'][number];

const HEIGHT = 220;
const OTHER_COLOUR = '--chart-6';
const COLOURS = ['--chart-1', '--chart-2', '--chart-3', '--chart-4', '--chart-5'] as const;

/** The calls of the period over time: by outcome, or by what they are grouped by. */
export function Charts({ series }: { readonly series: Series | undefined }) {
  const all = series?.groups.find(({ kind }) => kind === 'all');
  if (!series || !all) return <LoadingCharts />;
  const groups = series.groups.filter(({ kind }) => kind !== 'all');
  return (
    <div className={classes.charts}>
      {groups.length === 0 ? (
        <OutcomeCharts times={series.timesMs} all={all} />
      ) : (
        <GroupCharts times={series.timesMs} groups={groups} />
      )}
    </div>
  );
}

function OutcomeCharts({ times, all }: { readonly times: readonly number[]; readonly all: Line }) {
  const { t } = useTranslation('overview');
  const { count, duration, percent } = useFormat();
  const { points } = all;
  const failed = points.calls.map(
    (_, at) =>
      (points.callerFailures[at] ?? 0) +
      (points.upstreamFailures[at] ?? 0) +
      (points.gatewayFailures[at] ?? 0),
  );
  const outcome = (name: 'caller' | 'upstream' | 'gateway', values: readonly number[]) =>
    ({ key: name, label: t(`origins.${name}`), colour: `--outcome-${name}`, values }) as const;
  return (
    <>
      <Chart
        times={times}
        label={t('charts.outcomes')}
        kind="bars"
        format={count}
        series={[
          {
            key: 'ok',
            label: t('origins.ok'),
            colour: '--outcome-ok',
            values: points.calls.map((calls, at) => calls - (failed[at] ?? 0)),
          },
          outcome('caller', points.callerFailures),
          outcome('upstream', points.upstreamFailures),
          outcome('gateway', points.gatewayFailures),
        ]}
      />
      <Chart
        times={times}
        label={t('charts.latency')}
        kind="lines"
        format={duration}
        series={[
          { key: 'p50', label: 'p50', colour: '--chart-1', values: points.p50Ms },
          { key: 'p95', label: 'p95', colour: '--chart-2', values: points.p95Ms },
          { key: 'p99', label: 'p99', colour: '--chart-3', values: points.p99Ms },
        ]}
      />
      <Chart
        times={times}
        label={t('charts.cache')}
        kind="areas"
        format={percent}
        series={[
          { key: 'cache', label: t('tiles.cache'), colour: '--chart-1', values: points.cacheRatio },
        ]}
      />
    </>
  );
}

function GroupCharts({ times, groups }: { times: readonly number[]; groups: Line[] }) {
  const { t } = useTranslation('overview');
  const { count, duration, percent } = useFormat();
  const lines = (valuesOf: (points: Line['points']) => readonly (number | null)[]): TimeSeries[] =>
    groups.map((group, at) => ({
      key: group.subject ?? 'other',
      label: group.name ?? group.subject ?? t('other'),
      colour: group.kind === 'other' ? OTHER_COLOUR : (COLOURS[at] ?? OTHER_COLOUR),
      values: valuesOf(group.points),
    }));
  const failed = ({ callerFailures, upstreamFailures, gatewayFailures }: Line['points']) =>
    callerFailures.map(
      (value, at) => value + (upstreamFailures[at] ?? 0) + (gatewayFailures[at] ?? 0),
    );
  return (
    <>
      <Chart
        times={times}
        label={t('charts.calls')}
        kind="bars"
        format={count}
        series={lines(({ calls }) => calls)}
      />
      <Chart
        times={times}
        label={t('charts.p95')}
        kind="lines"
        format={duration}
        series={lines(({ p95Ms }) => p95Ms)}
      />
      <Chart
        times={times}
        label={t('charts.failures')}
        kind="lines"
        format={count}
        series={lines(failed)}
      />
      <Chart
        times={times}
        label={t('charts.cache')}
        kind="lines"
        format={percent}
        series={lines(({ cacheRatio }) => cacheRatio)}
      />
    </>
  );
}

const Chart = (props: Omit<TimeChartProps, 'height' | 'isStacked'>) => (
  <div className={classes.card}>
    <TimeChart {...props} isStacked={props.kind === 'bars'} height={HEIGHT} />
  </div>
);

const LoadingCharts = () => (
  <div className={classes.charts}>
    <Skeleton height={HEIGHT + 70} radius="md" />
    <Skeleton height={HEIGHT + 70} radius="md" />
  </div>
);
