import { Stack } from '@mantine/core';
import { IconHistoryOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { isStatus } from '../api/admin-error.ts';
import { useTenant } from '../session/session.ts';
import { EmptyState, ErrorAlert, PageHeader } from '../shared/page.tsx';
import { Waiting } from '../shared/waiting.tsx';
import { JobView, StatusBadge } from './job-view.tsx';
import { jobQuery } from './queries.ts';

/** One job, by its address. */
export function JobPage() {
  const { t } = useTranslation('apis');
  const { slug: tenant } = useTenant();
  const { job: id } = useParams({ from: '/signed-in/admin/apis/jobs/$job' });
  const { data: job, error, refetch } = useQuery(jobQuery(tenant, id));
  const breadcrumbs = [{ to: '/admin/apis', label: t('title') }] as const;
  if (!job) {
    return (
      <>
        <PageHeader title={t('jobs.title')} breadcrumbs={breadcrumbs} />
        {isStatus(error, 404) && <EmptyState icon={IconHistoryOff} title={t('job.gone')} />}
        {error && !isStatus(error, 404) && <ErrorAlert error={error} onRetry={refetch} />}
        {!error && <Waiting />}
      </>
    );
  }
  const from = job.source.kind === 'address' ? job.source.address : t('job.asText');
  return (
    <Stack gap="lg">
      <PageHeader
        title={t('job.title', { name: job.name })}
        breadcrumbs={breadcrumbs}
        aside={<StatusBadge status={job.status} />}
        description={t('job.from', { source: from })}
      />
      <JobView job={job} />
    </Stack>
  );
}
