import { IconActivityHeartbeat } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { LiveCall } from '../../src/dialects/admin/live-calls.ts';
import type { NamesData } from '../audit/audit-queries.ts';
import { OutcomeBadge } from '../audit/outcome-badge.tsx';
import { type Column, DataTable } from '../shared/data-table.tsx';
import { EmptyState } from '../shared/empty-state.tsx';
import { useFormat } from '../shared/use-format.ts';
import classes from './live-table.module.css';

interface LiveTableProps {
  readonly calls: readonly LiveCall[];
  readonly names: NamesData | undefined;
  readonly isFiltered: boolean;
}

export function LiveTable({ calls, names, isFiltered }: LiveTableProps) {
  const { t } = useTranslation('live');
  const navigate = useNavigate();
  const columns = useColumns(names);
  return (
    <DataTable<LiveCall>
      label={t('table')}
      columns={columns}
      rows={calls}
      rowKey={({ auditId }) => auditId}
      onOpen={({ auditId }) =>
        void navigate({ to: '/admin/audit', search: (before) => ({ ...before, record: auditId }) })
      }
      empty={
        <EmptyState
          icon={IconActivityHeartbeat}
          title={t(isFiltered ? 'nothingMatches' : 'nothing')}
          text={t(isFiltered ? 'nothingMatchesText' : 'nothingText')}
        />
      }
    />
  );
}

function useColumns(names: NamesData | undefined): Column<LiveCall>[] {
  const { t } = useTranslation('audit');
  const { duration, timeOfDay } = useClock();
  const nameOf = new Map(names?.keys.map(({ id, name }) => [id, name]));
  return [
    {
      key: 'time',
      header: t('column.time'),
      isTitle: false,
      width: '8rem',
      cell: ({ auditId, at }) => (
        <Link
          to="/admin/audit"
          search={(before) => ({ ...before, record: auditId })}
          className={classes.link}
        >
          {timeOfDay(at)}
        </Link>
      ),
    },
    {
      key: 'tool',
      header: t('column.tool'),
      isTitle: true,
      cell: ({ tool }) => <span className={classes.mono}>{tool}</span>,
    },
    {
      key: 'outcome',
      header: t('column.outcome'),
      cell: ({ outcome, error, upstreamStatus }) => (
        <OutcomeBadge
          outcome={outcome}
          cause={outcome === 'ok' ? null : (error ?? String(upstreamStatus ?? ''))}
        />
      ),
    },
    {
      key: 'key',
      header: t('column.key'),
      cell: ({ apiKeyId }) => (
        <span className={classes.clip} title={apiKeyId}>
          {nameOf.get(apiKeyId) || apiKeyId}
        </span>
      ),
    },
    {
      key: 'client',
      header: t('column.client'),
      cell: ({ clientName }) => (
        <span className={classes.clip} title={clientName ?? undefined}>
          {clientName ?? '–'}
        </span>
      ),
    },
    { key: 'cache', header: t('column.cache'), cell: ({ cacheStatus }) => cacheStatus ?? '–' },
    {
      key: 'duration',
      header: t('column.duration'),
      align: 'end',
      cell: ({ durationMs }) => duration(durationMs),
    },
  ];
}

/** The clock with tenths of a second: many calls end within one. */
function useClock() {
  const { duration } = useFormat();
  const { i18n } = useTranslation();
  const format = new Intl.DateTimeFormat(i18n.language, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 1,
    hourCycle: 'h23',
  });
  return { duration, timeOfDay: (at: string) => format.format(new Date(at)) };
}
