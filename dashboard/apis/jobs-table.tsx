import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type Column, DataTable } from '../shared/data-table.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { Paging, useCursorPaging } from '../shared/paging.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { type JobSummary, jobsQuery } from './queries.ts';
import { StatusBadge } from './status-badge.tsx';

/** Recent jobs, also those that failed. */
export function JobsTable({ tenant }: { readonly tenant: string }) {
  const { t } = useTranslation('apis');
  const paging = useCursorPaging(tenant);
  const jobs = useQuery(jobsQuery(tenant, paging.cursor));
  const columns = useColumns();
  if (jobs.error) return <ErrorAlert error={jobs.error} onRetry={jobs.refetch} />;
  return (
    <>
      <DataTable
        label={t('jobs.label')}
        columns={columns}
        rows={jobs.data?.jobs}
        rowKey={({ id }) => id}
        empty={
          <Text size="sm" c="dimmed">
            {t('jobs.none')}
          </Text>
        }
      />
      <Paging paging={paging} nextCursor={jobs.data?.nextCursor} />
    </>
  );
}

function useColumns(): Column<JobSummary>[] {
  const { t } = useTranslation('apis');
  return [
    {
      key: 'job',
      header: t('column.job'),
      cell: ({ id, name }) => (
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link to="/admin/apis/jobs/$job" params={{ job: id }} {...props} />
          )}
        >
          {name}
        </Anchor>
      ),
    },
    {
      key: 'kind',
      header: t('column.kind'),
      cell: ({ isDryRun }) => t(isDryRun ? 'jobs.check' : 'jobs.registration'),
    },
    {
      key: 'status',
      header: t('column.status'),
      cell: ({ status }) => <StatusBadge status={status} />,
    },
    {
      key: 'problem',
      header: t('column.problem'),
      cell: ({ error }) => (
        <Text size="sm" lineClamp={2} {...(!error && { c: 'dimmed' })}>
          {error?.message ?? '–'}
        </Text>
      ),
    },
    {
      key: 'started',
      header: t('column.started'),
      align: 'end',
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
  ];
}
