import { Skeleton, Stack, Title } from '@mantine/core';
import { IconHistoryOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useTenant } from '../app/tenant-in-use.ts';
import { EmptyState } from '../shared/empty-state.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { PageHeader } from '../shared/page-header.tsx';
import { Crumb } from './crumb.tsx';
import { JobView } from './job-view.tsx';
import { LazyTrialPanel } from './lazy-parts.tsx';
import { isStatus, type Job, jobQuery } from './queries.ts';
import { toolsOf } from './report-tools.ts';
import { StatusBadge } from './status-badge.tsx';
import { useJobEvents } from './use-job-events.ts';

/** One job, by its address. */
export function JobPage() {
  const { t } = useTranslation('apis');
  const { slug: tenant, canChange } = useTenant();
  const { job: id } = useParams({ from: '/signed-in/admin/apis/jobs/$job' });
  useJobEvents(tenant);
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
        {job.error ? <ErrorAlert error={job.error} onRetry={job.refetch} /> : <Skeleton h={160} />}
      </>
    );
  }
  return <LoadedJob job={job.data} tenant={tenant} canChange={canChange} />;
}

interface LoadedJobProps {
  readonly job: Job;
  readonly tenant: string;
  readonly canChange: boolean;
}

function LoadedJob({ job, tenant, canChange }: LoadedJobProps) {
  const { t } = useTranslation('apis');
  const { source } = job;
  const from = source.kind === 'address' ? source.address : t('job.asText');
  return (
    <Stack gap="lg">
      <PageHeader
        title={t('job.title', { name: job.name })}
        breadcrumbs={<Crumb />}
        aside={<StatusBadge status={job.status} />}
        description={t('job.from', { source: from })}
      />
      <JobView job={job} />
      {job.canBeTried && canChange && <JobTrial job={job} tenant={tenant} />}
    </Stack>
  );
}

interface JobTrialProps {
  readonly job: Job;
  readonly tenant: string;
}

function JobTrial({ job, tenant }: JobTrialProps) {
  const { t } = useTranslation('apis');
  return (
    <section aria-labelledby="try">
      <Title order={2} id="try" mb="sm">
        {t('trial.title')}
      </Title>
      <LazyTrialPanel
        subject={{ tenant, kind: 'job', id: job.id }}
        tools={toolsOf(job)}
        needsAuth={job.authType !== 'none'}
      />
    </section>
  );
}
