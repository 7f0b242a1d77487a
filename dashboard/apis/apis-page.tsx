import { Anchor, Badge, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconApi, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useTenant } from '../app/tenant-in-use.ts';
import { type Column, DataTable } from '../shared/data-table.tsx';
import { EmptyState } from '../shared/empty-state.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { PageHeader } from '../shared/page-header.tsx';
import { Paging, useCursorPaging } from '../shared/paging.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { useFormat } from '../shared/use-format.ts';
import { JobsTable } from './jobs-table.tsx';
import { apisQuery, type ListedApi } from './queries.ts';
import { StatusBadge } from './status-badge.tsx';
import { useJobEvents } from './use-job-events.ts';

/** The APIs that the tenant has registered, and the jobs that did it. */
export function ApisPage() {
  const { t } = useTranslation('apis');
  const { slug: tenant, canChange } = useTenant();
  useJobEvents(tenant);
  const register = canChange && <RegisterLink />;
  return (
    <Stack gap="xl">
      <div>
        <PageHeader title={t('title')} description={t('description')} actions={register} />
        <ApisTable tenant={tenant} action={register} />
      </div>
      <section aria-labelledby="recent-jobs">
        <Title order={2} id="recent-jobs" mb="sm">
          {t('jobs.title')}
        </Title>
        <JobsTable tenant={tenant} />
      </section>
    </Stack>
  );
}

function RegisterLink() {
  const { t } = useTranslation('apis');
  return (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      renderRoot={(props) => <Link to="/admin/apis/register" {...props} />}
    >
      {t('register')}
    </Button>
  );
}

interface ApisTableProps {
  readonly tenant: string;
  readonly action: React.ReactNode;
}

function ApisTable({ tenant, action }: ApisTableProps) {
  const { t } = useTranslation('apis');
  const paging = useCursorPaging(tenant);
  const apis = useQuery(apisQuery(tenant, paging.cursor));
  const columns = useColumns();
  if (apis.error) return <ErrorAlert error={apis.error} onRetry={apis.refetch} />;
  return (
    <>
      <DataTable
        label={t('title')}
        columns={columns}
        rows={apis.data?.registrations}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={IconApi}
            title={t('none.title')}
            text={t('none.text')}
            action={action}
          />
        }
      />
      <Paging paging={paging} nextCursor={apis.data?.nextCursor} />
    </>
  );
}

function useColumns(): Column<ListedApi>[] {
  const { t } = useTranslation('apis');
  const { count } = useFormat();
  return [
    {
      key: 'name',
      header: t('column.name'),
      cell: ({ id, name }) => (
        <Anchor
          fw={550}
          size="sm"
          renderRoot={(props) => <Link to="/admin/apis/$api" params={{ api: id }} {...props} />}
        >
          {name}
        </Anchor>
      ),
    },
    {
      key: 'status',
      header: t('column.status'),
      cell: ({ status, pending }) => (
        <Group gap={6} justify="inherit">
          <StatusBadge status={status} />
          {pending && <StatusBadge status="pending" />}
        </Group>
      ),
    },
    {
      key: 'visibility',
      header: t('column.visibility'),
      cell: ({ visibility }) => (
        <Badge variant="default" tt="none" fw={500}>
          {t(`visibility.${visibility}`)}
        </Badge>
      ),
    },
    {
      key: 'tools',
      header: t('column.tools'),
      align: 'end',
      cell: ({ toolIds }) => count(toolIds.length),
    },
    {
      key: 'calls',
      header: t('column.calls'),
      align: 'end',
      cell: (api) => <ApiCalls api={api} />,
    },
    { key: 'base', header: t('column.base'), cell: ({ baseUrl }) => baseUrl },
    {
      key: 'changed',
      header: t('column.changed'),
      align: 'end',
      cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
    },
  ];
}

/** Calls of the last 24 hours, and failures if there were any. */
function ApiCalls({ api: { calls, failures } }: { readonly api: ListedApi }) {
  const { t } = useTranslation('apis');
  const { count } = useFormat();
  return (
    <Stack gap={0}>
      <span>{count(calls)}</span>
      {failures > 0 && (
        <Text size="xs" c="var(--outcome-gateway)" component="span">
          {t('failed', { count: failures, formatted: count(failures) })}
        </Text>
      )}
    </Stack>
  );
}
