import { Group, Stack, Text } from '@mantine/core';
import { IconApi, IconDatabasePlus, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useTenant } from '../session/session.ts';
import { icon, LinkAnchor, LinkButton } from '../shared/buttons.tsx';
import { type Column, DataTable, useCursorPaging } from '../shared/data-table.tsx';
import { EmptyState, Hint, PageHeader, Section } from '../shared/page.tsx';
import {
  isOfApi,
  type OwnApi,
  type Problem,
  ProblemNotice,
  problemWith,
  useProblems,
} from '../shared/problems.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { useFormat } from '../shared/use-format.ts';
import { JobError, StatusBadge } from './job-view.tsx';
import { apisQuery, type Job, jobsQuery, type ListedApi } from './queries.ts';

/** The APIs that the tenant has registered, and the jobs that did it. */
export function ApisPage() {
  const { t } = useTranslation('apis');
  const { slug: tenant, canChange } = useTenant();
  const { isPending } = useQuery(apisQuery(tenant, undefined));
  const register = canChange && <RegisterLink />;
  return (
    <Stack gap="xl">
      <div>
        <PageHeader title={t('title')} description={t('description')} actions={register} />
        <ApisTable tenant={tenant} action={register} />
      </div>
      {/* Loaded with the APIs, but shown below them once their height is known. */}
      <div hidden={isPending}>
        <Section title={t('jobs.title')}>
          <JobsTable tenant={tenant} />
        </Section>
      </div>
    </Stack>
  );
}

function RegisterLink() {
  const { t } = useTranslation('apis');
  return (
    <Group gap="xs">
      <LinkButton to="/admin/apis/dataset" variant="default" leftSection={icon(IconDatabasePlus)}>
        {t('dataset.title')}
      </LinkButton>
      <LinkButton to="/admin/apis/register" leftSection={icon(IconPlus)}>
        {t('register')}
      </LinkButton>
    </Group>
  );
}

function ApisTable({ tenant, action }: { tenant: string; action: React.ReactNode }) {
  const { t } = useTranslation('apis');
  const paging = useCursorPaging();
  const apis = useQuery(apisQuery(tenant, paging.cursor));
  const columns = useColumns(useProblems(tenant));
  return (
    <DataTable
      label={t('title')}
      query={apis}
      paging={paging}
      columns={columns}
      rows={apis.data?.registrations}
      rowKey={({ id }) => id}
      empty={
        <EmptyState icon={IconApi} title={t('none.title')} text={t('none.text')} action={action} />
      }
    />
  );
}

function useColumns(problems: readonly Problem[]): Column<ListedApi>[] {
  const { t } = useTranslation('apis');
  const { count } = useFormat();
  return [
    {
      header: t('form.name'),
      cell: ({ id, name, tenant, slug }) => (
        <>
          <LinkAnchor to="/admin/apis/$api" params={{ api: id }} fw={550} size="sm">
            {name}
          </LinkAnchor>
          <ApiProblem problems={problems} api={{ tenant, slug }} />
        </>
      ),
      sort: ({ name }) => name,
    },
    {
      header: t('column.tools'),
      align: 'end',
      cell: ({ toolIds }) => count(toolIds.length),
      sort: ({ toolIds }) => toolIds.length,
    },
    {
      header: t('column.calls'),
      align: 'end',
      cell: (api) => <ApiCalls api={api} />,
      sort: ({ calls }) => calls,
    },
    { header: t('column.base'), cell: ({ baseUrl }) => baseUrl, sort: ({ baseUrl }) => baseUrl },
    {
      header: t('column.changed'),
      align: 'end',
      cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
      sort: ({ updatedAt }) => updatedAt,
    },
  ];
}

function ApiProblem({ problems, api }: { problems: readonly Problem[]; api: OwnApi }) {
  const isMeant = (tool: { readonly id: string }) => isOfApi(tool, api);
  return <ProblemNotice problem={problemWith(problems, isMeant)} isMeant={isMeant} />;
}

/** Calls of the last 24 hours, and failures if there were any. */
function ApiCalls({ api: { calls = 0, failures = 0 } }: { readonly api: ListedApi }) {
  const { t } = useTranslation('apis');
  const { count } = useFormat();
  return (
    <Stack gap={0}>
      <span>{count(calls)}</span>
      {failures > 0 && (
        <Text size="xs" c="dimmed" component="span">
          {t('failed', { count: failures, formatted: count(failures) })}
        </Text>
      )}
    </Stack>
  );
}

/** Recent jobs, also those that failed. */
function JobsTable({ tenant }: { readonly tenant: string }) {
  const { t } = useTranslation('apis');
  const paging = useCursorPaging({ list: 'jobs_' });
  const jobs = useQuery(jobsQuery(tenant, paging.cursor));
  const columns = useJobColumns();
  return (
    <DataTable
      label={t('jobs.label')}
      query={jobs}
      paging={paging}
      columns={columns}
      rows={jobs.data?.jobs}
      rowKey={({ jobId }) => jobId}
      empty={<Hint>{t('jobs.none')}</Hint>}
    />
  );
}

function useJobColumns(): Column<Job>[] {
  const { t } = useTranslation('apis');
  return [
    {
      header: t('column.job'),
      cell: ({ jobId, name }) => (
        <LinkAnchor to="/admin/apis/jobs/$job" params={{ job: jobId }} size="sm">
          {name}
        </LinkAnchor>
      ),
    },
    { header: t('column.status'), cell: ({ status }) => <StatusBadge status={status} /> },
    {
      header: t('column.problem'),
      cell: ({ error }) => (
        <Text size="sm" lineClamp={2} {...(!error && { c: 'dimmed' })}>
          {error ? <JobError error={error} /> : '–'}
        </Text>
      ),
    },
    {
      header: t('column.started'),
      align: 'end',
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
  ];
}
