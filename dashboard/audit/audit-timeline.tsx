import { Alert, Group, Paper, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { TimeSeries } from '../shared/chart-data.ts';
import { colourOf, ORIGINS } from '../shared/outcome.tsx';
import { ErrorAlert, Hint } from '../shared/page.tsx';
import { TimeChart } from '../shared/time-chart.tsx';
import { useFormat } from '../shared/use-format.ts';
import { type TimelineData, timelineQuery } from './audit-queries.ts';
import type { AuditFilterInput } from './audit-search.ts';

interface AuditTimelineProps {
  readonly tenant: string;
  readonly filter: AuditFilterInput;
  readonly onBrush: (fromMs: number, toMs: number) => void;
}

const HEIGHT = 140;

/** Calls over time by outcome. Dragging across the chart narrows the time. */
export function AuditTimeline({ tenant, filter, onBrush }: AuditTimelineProps) {
  const { t } = useTranslation('audit');
  const { count } = useFormat();
  const { data, error, refetch } = useQuery(timelineQuery(tenant, filter));
  const chart = useChart(data);
  if (error) return <ErrorAlert error={error} onRetry={refetch} />;
  if (!data) return <Skeleton height={HEIGHT + 60} aria-label={t('timeline.loading')} />;
  if (data.buckets.length === 0) return null;
  return (
    <Paper withBorder p="sm">
      <TimeChart
        label={t('timeline.label')}
        times={chart.times}
        series={chart.series}
        kind="bars"
        isStacked
        format={count}
        height={HEIGHT}
        onBrush={onBrush}
      />
      <Totals data={data} />
    </Paper>
  );
}

function useChart(data: TimelineData | undefined) {
  const { t } = useTranslation('shared');
  return useMemo(() => {
    const buckets = data?.buckets ?? [];
    const series: TimeSeries[] = ORIGINS.map((origin) => ({
      key: origin,
      label: t(`outcome.${origin}`),
      colour: colourOf(origin),
      values: buckets.map((bucket) => bucket[origin]),
    }));
    return { times: buckets.map(({ at }) => Date.parse(at)), series };
  }, [data, t]);
}

/** How many calls there are, and that counting has not come to an end. */
function Totals({ data }: { readonly data: TimelineData }) {
  const { t } = useTranslation('audit');
  const { count, time } = useFormat();
  const total = data.buckets
    .flatMap((bucket) => ORIGINS.map((origin) => bucket[origin]))
    .reduce((sum, calls) => sum + calls, 0);
  return (
    <Group gap="xs" mt={4}>
      <Hint role="status">{t('timeline.total', { count: total, formatted: count(total) })}</Hint>
      {data.countedBackTo !== null && (
        <Alert variant="transparent" p={0}>
          {t('timeline.partial', { time: time(data.countedBackTo) })}
        </Alert>
      )}
    </Group>
  );
}
