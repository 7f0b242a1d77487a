import { Alert, Text } from '@mantine/core';
import { IconHourglass, IconListSearch } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type Column, DataTable } from '../shared/data-table.tsx';
import { EmptyState } from '../shared/empty-state.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { Paging, useCursorPaging } from '../shared/paging.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { useFormat } from '../shared/use-format.ts';
import {
  type AuditPageData,
  type AuditRecordData,
  type NamesData,
  useRecords,
} from './audit-queries.ts';
import type { AuditFilterInput } from './audit-search.ts';
import classes from './audit-table.module.css';
import { causeOf, OutcomeBadge } from './outcome-badge.tsx';

interface AuditTableProps {
  readonly tenant: string;
  readonly filter: AuditFilterInput;
  readonly names: NamesData | undefined;
  readonly isFiltered: boolean;
  readonly opened: string | undefined;
  readonly onOpen: (auditId: string) => void;
}

/** The records that match, newest first, in pages. */
export function AuditTable(props: AuditTableProps) {
  const { tenant, filter, opened, onOpen, isFiltered } = props;
  const { t } = useTranslation('audit');
  const paging = useCursorPaging(JSON.stringify([tenant, filter]));
  const { data, error, refetch } = useRecords(tenant, filter, paging.cursor);
  const columns = useColumns(props.names);
  if (error) return <ErrorAlert error={error} onRetry={refetch} />;
  return (
    <div>
      {data && <Notices page={data} />}
      <DataTable<AuditRecordData>
        label={t('title')}
        columns={columns}
        rows={data?.records}
        rowKey={({ auditId }) => auditId}
        isSelected={({ auditId }) => auditId === opened}
        onOpen={({ auditId }) => onOpen(auditId)}
        empty={
          <EmptyState
            icon={IconListSearch}
            title={t(isFiltered ? 'empty.filtered' : 'empty.title')}
            text={t(data?.nextCursor ? 'empty.further' : 'empty.text')}
          />
        }
      />
      <Paging paging={paging} nextCursor={data?.nextCursor} />
    </div>
  );
}

/** What the page does not show: records that wait for PostgreSQL, and those that were not searched yet. */
function Notices({ page: { incomplete, searchedBackTo } }: { readonly page: AuditPageData }) {
  const { t } = useTranslation('audit');
  const { count, time } = useFormat();
  return (
    <>
      {incomplete && (
        <Alert color="yellow" icon={<IconHourglass aria-hidden />} mb="sm">
          {t('incomplete', {
            count: incomplete.waiting,
            formatted: incomplete.waiting === 1000 ? '1000+' : count(incomplete.waiting),
            time: time(incomplete.oldestWaitingAt),
          })}
        </Alert>
      )}
      {searchedBackTo && (
        <Text size="sm" c="dimmed" mb="xs" role="status">
          {t('searchedBackTo', { time: time(searchedBackTo) })}
        </Text>
      )}
    </>
  );
}

function useColumns(names: NamesData | undefined): Column<AuditRecordData>[] {
  const { t } = useTranslation('audit');
  const { duration } = useFormat();
  const nameOf = new Map(names?.keys.map(({ id, name }) => [id, name]));
  return [
    {
      key: 'time',
      header: t('column.time'),
      isTitle: false,
      width: '9rem',
      cell: ({ auditId, timestamp }) => (
        <Link
          to="/admin/audit"
          search={(before) => ({ ...before, record: auditId })}
          className={classes.link}
        >
          <RelativeTime at={timestamp} />
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
      cell: (record) => <OutcomeBadge outcome={record.outcome} cause={causeOf(record)} />,
    },
    {
      key: 'key',
      header: t('column.key'),
      cell: ({ apiKeyId }) => (
        <span title={apiKeyId}>{nameOf.get(apiKeyId) || shortId(apiKeyId)}</span>
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
