import { useTranslation } from 'react-i18next';
import type { CallsFilter } from '../shared/calls-link.tsx';
import type { TimeChartProps, TimeSeries } from '../shared/chart-data.ts';
import { FAILED, failedCalls, useOutcomeSeries } from '../shared/outcome.tsx';
import { TimeChart } from '../shared/time-chart.tsx';
import { useFormat } from '../shared/use-format.ts';
import { Waiting } from '../shared/waiting.tsx';
import classes from './overview.module.css';
import type { Series } from './overview-queries.ts';
import { callsOf, type Grouping } from './overview-search.ts';

type Line = Series['groups'][number];

const HEIGHT = 220;
const OTHER_COLOUR = '--chart-6';
const COLOURS = ['--chart-1', '--chart-2', '--chart-3', '--chart-4', '--chart-5'] as const;

/** What readers may do with a stretch of time. */
type Choices = Pick<TimeChartProps, 'onBrush' | 'onPick'>;

interface ChartsProps extends Choices {
  readonly series: Series | undefined;
  readonly by?: Grouping;
  /** Finds all calls of the period in the audit log; undefined if it has no such page. */
  readonly calls: CallsFilter | undefined;
}

/** The calls of the period over time: by outcome, or by what they are grouped by. */
export function Charts({ series, by = 'none', calls, ...choices }: ChartsProps) {
  const all = series?.groups.find(({ kind }) => kind === 'all');
  if (!series || !all) return <Waiting lines={12} />;
  const groups = series.groups.filter(({ kind }) => kind !== 'all');
  const base = { times: series.timesMs, ...choices };
  return (
    <div className={classes.charts}>
      {groups.length === 0 ? (
        <OutcomeCharts base={base} all={all} calls={calls} />
      ) : (
        <GroupCharts
          base={base}
          groups={groups}
          callsIn={(group) => {
            const ofGroup = callsOf(by, group);
            return calls && ofGroup && { ...calls, ...ofGroup };
          }}
        />
      )}
    </div>
  );
}

/** What all charts of a page share. */
type Base = Choices & Pick<TimeChartProps, 'times'>;

interface OutcomeChartsProps extends Pick<ChartsProps, 'calls'> {
  readonly base: Base;
  readonly all: Line;
}

function OutcomeCharts({ base, all, calls }: OutcomeChartsProps) {
  const { t } = useTranslation('overview');
  const outcomesOf = useOutcomeSeries();
  const { count, duration, percent } = useFormat();
  const { points } = all;
  return (
    <>
      <Chart
        {...base}
        label={t('charts.outcomes')}
        kind="bars"
        format={count}
        series={outcomesOf(points, calls)}
      />
      <Chart
        {...base}
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
        {...base}
        label={t('tiles.cache')}
        kind="areas"
        format={percent}
        highest={1}
        series={[
          { key: 'cache', label: t('tiles.cache'), colour: '--chart-1', values: points.cacheRatio },
        ]}
      />
    </>
  );
}

interface GroupChartsProps {
  readonly base: Base;
  readonly groups: readonly Line[];
  readonly callsIn: (group: Line) => CallsFilter | undefined;
}

function GroupCharts({ base, groups, callsIn }: GroupChartsProps) {
  const { t } = useTranslation('overview');
  const { count, duration, percent } = useFormat();
  const lines = (valuesOf: (points: Line['points']) => readonly (number | null)[]): TimeSeries[] =>
    groups.map((group, at) => ({
      key: group.subject ?? 'other',
      label: group.name ?? group.subject ?? t('other'),
      colour: group.kind === 'other' ? OTHER_COLOUR : (COLOURS[at] ?? OTHER_COLOUR),
      values: valuesOf(group.points),
      calls: callsIn(group),
    }));
  const failed = lines(failedCalls).map(({ calls, ...line }) => ({
    ...line,
    calls: calls && { ...calls, ...FAILED },
  }));
  return (
    <>
      <Chart
        {...base}
        label={t('tiles.calls')}
        kind="bars"
        format={count}
        series={lines(({ calls }) => calls)}
      />
      <Chart
        {...base}
        label={t('tiles.p95Ms')}
        kind="lines"
        format={duration}
        series={lines(({ p95Ms }) => p95Ms)}
      />
      <Chart {...base} label={t('tiles.failures')} kind="lines" format={count} series={failed} />
      <Chart
        {...base}
        label={t('tiles.cache')}
        kind="lines"
        format={percent}
        highest={1}
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
