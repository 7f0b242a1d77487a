import { Stack } from '@mantine/core';
import { IconHistoryOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useTenant } from '../session/session.ts';
import { EmptyState, ErrorAlert, PageHeader } from '../shared/page.tsx';
import { RowsSkeleton } from '../shared/skeletons.tsx';
import { Crumb } from './crumb.tsx';
import { JobView } from './job-view.tsx';
import { isStatus, type Job, jobQuery } from './queries.ts';
import { StatusBadge } from './status-badge.tsx';

/** One job, by its address. */
export function JobPage() {
  const { t } = useTranslation('apis');
  const { slug: tenant } = useTenant();
  const { job: id } = useParams({ from: '/signed-in/admin/apis/jobs/$job' });
  const job = useQuery(jobQuery(tenant, id));
  if (isStatus(job.error, 404)) {
    return (
      <>
        <PageHeader title={t('jobs.title')} breadcrumbs={<Crumb />} />
        <EmptyState icon={IconHistoryOff} title={t('job.gone')} />
      </>
    );
  }
  if (!job.data) {
    return (
      <>
        <PageHeader title={t('jobs.title')} breadcrumbs={<Crumb />} />
        {job.error ? (
          <ErrorAlert error={job.error} onRetry={job.refetch} />
        ) : (
          <RowsSkeleton count={4} />
        )}
      </>
    );
  }
  return <LoadedJob job={job.data} />;
}

function LoadedJob({ job }: { readonly job: Job }) {
  const { t } = useTranslation('apis');
  return (
    <Stack gap="lg">
      <PageHeader
        title={t('job.title', { name: job.name })}
        breadcrumbs={<Crumb />}
        aside={<StatusBadge status={job.status} />}
      />
      <JobView job={job} />
    </Stack>
  );
}
