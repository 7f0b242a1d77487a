import { Button, Skeleton, Stack } from '@mantine/core';
import { IconApiOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useTenant } from '../app/tenant-in-use.ts';
import { EmptyState } from '../shared/empty-state.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { PageHeader } from '../shared/page-header.tsx';
import { ApiActions } from './api-actions.tsx';
import { ApiFacts } from './api-facts.tsx';
import { ApiTabs } from './api-tabs.tsx';
import { Crumb } from './crumb.tsx';
import { apiQuery, isStatus } from './queries.ts';
import { StatusBadge } from './status-badge.tsx';
import { useJobEvents } from './use-job-events.ts';

/** One registered API. */
export function ApiPage() {
  const { t } = useTranslation('apis');
  const { slug: tenant, canChange } = useTenant();
  const { api: id } = useParams({ from: '/signed-in/admin/apis/$api' });
  useJobEvents(tenant);
  const api = useQuery(apiQuery(tenant, id));
  if (isStatus(api.error, 404)) return <DeletedApi />;
  if (!api.data) {
    return (
      <>
        <PageHeader title={t('title')} breadcrumbs={<Crumb />} />
        {api.error ? <ErrorAlert error={api.error} onRetry={api.refetch} /> : <Skeleton h={240} />}
      </>
    );
  }
  const { status, pending, name, description } = api.data;
  return (
    <Stack gap="lg">
      <PageHeader
        title={name}
        breadcrumbs={<Crumb />}
        description={description}
        aside={
          <>
            <StatusBadge status={status} />
            {pending && <StatusBadge status="pending" />}
          </>
        }
        actions={canChange && <ApiActions tenant={tenant} api={api.data} />}
      />
      <ApiFacts api={api.data} />
      <ApiTabs tenant={tenant} api={api.data} canChange={canChange} />
    </Stack>
  );
}

function DeletedApi() {
  const { t } = useTranslation('apis');
  return (
    <>
      <PageHeader title={t('api.goneTitle')} breadcrumbs={<Crumb />} />
      <EmptyState
        icon={IconApiOff}
        title={t('api.gone')}
        action={
          <Button variant="default" renderRoot={(props) => <Link to="/admin/apis" {...props} />}>
            {t('api.back')}
          </Button>
        }
      />
    </>
  );
}
