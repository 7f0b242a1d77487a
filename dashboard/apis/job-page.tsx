import { Stack } from '@mantine/core';
import { IconHistoryOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useTenant } from '../session/session.ts';
import { EmptyState, ErrorAlert, PageHeader, Section } from '../shared/page.tsx';
import { RowsSkeleton } from '../shared/skeletons.tsx';
import { Crumb } from './crumb.tsx';
import { JobView } from './job-view.tsx';
import { LazyTrialPanel } from './lazy-parts.tsx';
import { isStatus, type Job, jobQuery, toolsOf, useJobEvents } from './queries.ts';
import { StatusBadge } from './status-badge.tsx';

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
        {job.error ? (
          <ErrorAlert error={job.error} onRetry={job.refetch} />
        ) : (
          <RowsSkeleton count={4} />
        )}
      </>
    );
  }
  return <LoadedJob job={job.data} tenant={tenant} canChange={canChange} />;
}

function LoadedJob({ job, tenant, canChange }: { job: Job; tenant: string; canChange: boolean }) {
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

function JobTrial({ job, tenant }: { readonly job: Job; readonly tenant: string }) {
  const { t } = useTranslation('apis');
  return (
    <Section title={t('trial.title')}>
      <LazyTrialPanel
        subject={{ tenant, kind: 'job', id: job.id }}
        tools={toolsOf(job)}
        needsAuth={job.authType !== 'none'}
      />
    </Section>
  );
}
