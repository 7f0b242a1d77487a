import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ask } from '../api/call-admin.ts';
import { LinkAnchor } from '../shared/buttons.tsx';
import { failuresOf } from '../shared/outcome.tsx';
import { Section } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { useFormat } from '../shared/use-format.ts';
import classes from './tool-page.module.css';

/** How the tenant's calls of a tool went in the last 24 hours. */
export function ToolStatistics({ tenant, tool }: { tenant: string; tool: string }) {
  const { t } = useTranslation('catalogue');
  const format = useFormat();
  const { data } = useQuery({
    queryKey: ['statistics', tenant, 'tool', tool],
    queryFn: ask('GET /tenants/:tenant/statistics/tools/:tool', { tenant, tool }),
  });
  if (!data) return null;
  const figures = data.summary?.lastDay;
  if (!figures || figures.calls === 0) {
    return <Section title={t('tool.statistics')}>{t('statistics.none')}</Section>;
  }
  const share = (value: number | null) => (value === null ? '–' : format.percent(value));
  const time = (ms: number | null) => (ms === null ? '–' : format.duration(ms));
  return (
    <Section title={t('tool.statistics')} note={t('statistics.lastDay')}>
      <dl className={classes.facts}>
        <Figure label={t('statistics.calls')}>
          <LinkAnchor to="/admin/audit" search={{ tool }}>
            {format.count(figures.calls)}
          </LinkAnchor>
        </Figure>
        <Figure label={t('statistics.failures')}>
          {share(failuresOf(figures) / figures.calls)}
        </Figure>
        <Figure label={t('statistics.p50')}>{time(figures.p50Ms)}</Figure>
        <Figure label={t('statistics.p95')}>{time(figures.p95Ms)}</Figure>
        <Figure label={t('statistics.cache')}>{share(figures.cacheRatio)}</Figure>
        {figures.lastCallMs !== null && (
          <Figure label={t('statistics.last')}>
            <RelativeTime at={figures.lastCallMs} />
          </Figure>
        )}
      </dl>
    </Section>
  );
}

interface FigureProps {
  readonly label: string;
  readonly children: ReactNode;
}

const Figure = ({ label, children }: FigureProps) => (
  <div>
    <dt>{label}</dt>
    <dd className={classes.figure}>{children}</dd>
  </div>
);
