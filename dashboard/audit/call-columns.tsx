import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from '../shared/data-table.tsx';
import { useFormat } from '../shared/use-format.ts';
import type { AuditRecordData, NamesData } from './audit-queries.ts';
import classes from './call-columns.module.css';
import { OutcomeBadge } from './outcome-badge.tsx';

type ShownCall = Pick<
  AuditRecordData,
  'auditId' | 'tool' | 'outcome' | 'apiKeyId' | 'clientName' | 'cacheStatus' | 'durationMs'
>;

/** How a table shows what its calls do not all name alike. */
interface CallCells<Call> {
  readonly timeOf: (call: Call) => ReactNode;
  readonly causeOf: (call: Call) => string | null;
}

/** The columns of a table of calls. The time is a link to the call's record. */
export function useCallColumns<Call extends ShownCall>(
  names: NamesData | undefined,
  { timeOf, causeOf }: CallCells<Call>,
): Column<Call>[] {
  const { t } = useTranslation('audit');
  const { duration } = useFormat();
  const nameOf = new Map(names?.keys.map(({ id, name }) => [id, name]));
  return [
    {
      key: 'time',
      header: t('column.time'),
      isTitle: false,
      width: '9rem',
      cell: (call) => (
        <Link
          to="/admin/audit"
          search={(before) => ({ ...before, record: call.auditId })}
          className={classes.link}
        >
          {timeOf(call)}
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
      cell: (call) => <OutcomeBadge outcome={call.outcome} cause={causeOf(call)} />,
    },
    {
      key: 'key',
      header: t('column.key'),
      cell: ({ apiKeyId }) => (
        <span className={classes.clip} title={apiKeyId}>
          {nameOf.get(apiKeyId) || shortId(apiKeyId)}
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

/** Ids of one moment differ at their end. */
const shortId = (id: string): string => (id.length > 14 ? `${id.slice(0, 7)}…${id.slice(-4)}` : id);
