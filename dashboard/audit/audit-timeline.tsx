import { Paper, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { TimeSeries } from '../shared/chart-data.ts';
import { colourOf, ORIGINS } from '../shared/outcome.tsx';
import { ErrorAlert, Hint } from '../shared/page.tsx';
import { TimeChart } from '../shared/time-chart.tsx';
import { useFormat } from '../shared/use-format.ts';
import { type ChartData, chartQuery } from './audit-queries.ts';
import type { AuditFilterInput } from './audit-search.ts';

interface AuditTimelineProps {
  readonly tenant: string;
  readonly filter: AuditFilterInput;
  readonly onBrush: (fromMs: number, toMs: number) => void;
}

const HEIGHT = 140;

/** Calls over time by outcome, from statistics. Dragging across the chart narrows the time. */
export function AuditTimeline({ tenant, filter, onBrush }: AuditTimelineProps) {
  const { t } = useTranslation('audit');
  const { count } = useFormat();
  const { data, error, refetch } = useQuery(chartQuery(tenant, filter));
  const series = useOutcomes(data);
  if (error) return <ErrorAlert error={error} onRetry={refetch} />;
  if (data === undefined) {
    return <Skeleton height={HEIGHT + 60} aria-label={t('timeline.loading')} />;
  }
  if (data === null || data.figures.calls === 0) return null;
  const { calls } = data.figures;
  return (
    <Paper withBorder p="sm">
      <TimeChart
        label={t('timeline.label')}
        times={data.timesMs}
        series={series}
        kind="bars"
        isStacked
        format={count}
        height={HEIGHT}
        onBrush={onBrush}
      />
      <Hint role="status" mt={4}>
        {t('timeline.total', { count: calls, formatted: count(calls) })}
      </Hint>
    </Paper>
  );
}

function useOutcomes(data: ChartData | undefined): TimeSeries[] {
  const { t } = useTranslation('shared');
  return useMemo(() => {
    if (!data) return [];
    const { calls, callerFailures: caller, upstreamFailures: upstream } = data.points;
    const gateway = data.points.gatewayFailures;
    const ok = calls.map(
      (all, at) => all - (caller[at] ?? 0) - (upstream[at] ?? 0) - (gateway[at] ?? 0),
    );
    const values = { ok, caller, upstream, gateway };
    return ORIGINS.map((origin) => ({
      key: origin,
      label: t(`outcome.${origin}`),
      colour: colourOf(origin),
      values: values[origin],
    }));
  }, [data, t]);
}
