import { Button, Paper, Stack, Tabs, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconApiOff, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isStatus } from '../api/admin-error.ts';
import { ask, callAdmin } from '../api/call-admin.ts';
import { useTenant } from '../session/session.ts';
import { useActionName } from '../shared/action-name.ts';
import { icon, LinkAnchor, LinkButton } from '../shared/buttons.tsx';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { Facts } from '../shared/facts.tsx';
import { EmptyState, ErrorAlert, PageHeader } from '../shared/page.tsx';
import { isOfApi, ProblemNotice, useProblems } from '../shared/problems.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { HeldDialog } from '../shared/unsaved.tsx';
import { lazyPart, Waiting } from '../shared/waiting.tsx';
import { PARTS, type Part } from './api-search.ts';
import { LazyReportView } from './job-view.tsx';
import { type Api, type ApiPartProps, apiQuery, apisKey, reportQuery } from './queries.ts';
import { ToolsTable } from './tools-table.tsx';

const LazySettingsPanel = lazyPart(
  async () => (await import('./settings-panel.tsx')).SettingsPanel,
);
const LazyRefreshForm = lazyPart(async () => (await import('./refresh-form.tsx')).RefreshForm);

/** One registered API. */
export function ApiPage() {
  const { t } = useTranslation('apis');
  const { slug: tenant, canChange } = useTenant();
  const { api: id } = useParams({ from: '/signed-in/admin/apis/$api' });
  const api = useQuery(apiQuery(tenant, id));
  if (isStatus(api.error, 404)) return <DeletedApi />;
  if (!api.data) {
    return (
      <>
        <PageHeader title={t('title')} breadcrumbs={[{ to: '/admin/apis', label: t('title') }]} />
        {api.error ? <ErrorAlert error={api.error} onRetry={api.refetch} /> : <Waiting />}
      </>
    );
  }
  const { name, description } = api.data;
  return (
    <Stack gap="lg">
      <PageHeader
        title={name}
        breadcrumbs={[{ to: '/admin/apis', label: t('title') }]}
        description={description}
        actions={canChange && <ApiActions tenant={tenant} api={api.data} />}
      />
      <ApiProblems tenant={tenant} slug={api.data.slug} />
      <ApiFacts api={api.data} />
      <ApiTabs tenant={tenant} api={api.data} canChange={canChange} />
    </Stack>
  );
}

/** Why tools of the API fail, and what repairs them. */
function ApiProblems(api: { readonly tenant: string; readonly slug: string }) {
  const isMeant = (tool: { readonly id: string }) => isOfApi(tool, api);
  const problems = useProblems(api.tenant).filter(({ tools }) => tools.some(isMeant));
  if (problems.length === 0) return null;
  return (
    <Paper
      withBorder
      px="sm"
      py="xs"
      style={{ borderInlineStart: '3px solid var(--outcome-gateway)' }}
    >
      <Stack gap={4}>
        {problems.map((problem) => (
          <ProblemNotice key={problem.cause} problem={problem} isMeant={isMeant} />
        ))}
      </Stack>
    </Paper>
  );
}

function DeletedApi() {
  const { t } = useTranslation('apis');
  return (
    <>
      <PageHeader
        title={t('api.goneTitle')}
        breadcrumbs={[{ to: '/admin/apis', label: t('title') }]}
      />
      <EmptyState
        icon={IconApiOff}
        title={t('api.gone')}
        action={
          <LinkButton to="/admin/apis" variant="default">
            {t('api.back')}
          </LinkButton>
        }
      />
    </>
  );
}

/** What may be done with an API as a whole. */
function ApiActions({ tenant, api }: ApiPartProps) {
  const { t } = useTranslation('apis');
  const [open, setOpen] = useState<'refresh' | 'delete' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Button variant="default" leftSection={icon(IconRefresh)} onClick={() => setOpen('refresh')}>
        {t('api.refresh')}
      </Button>
      <Button
        variant="default"
        c="var(--mantine-color-text)"
        leftSection={icon(IconTrash)}
        onClick={() => setOpen('delete')}
      >
        {t('api.delete')}
      </Button>
      <HeldDialog
        opened={open === 'refresh'}
        onClose={close}
        title={t('refresh.title', { name: api.name })}
        size="xl"
      >
        <LazyRefreshForm tenant={tenant} api={api} onClose={close} />
      </HeldDialog>
      <DeleteDialog tenant={tenant} api={api} isOpen={open === 'delete'} onClose={close} />
    </>
  );
}

interface ApiDialogProps extends ApiPartProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function DeleteDialog({ tenant, api, isOpen, onClose }: ApiDialogProps) {
  const { t } = useTranslation('apis');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { id, name, toolIds } = api;
  const remove = async (): Promise<void> => {
    await callAdmin('DELETE /tenants/:tenant/registrations/:id', { tenant, id });
    notifications.show({ message: t('remove.done', { name }) });
    await navigate({ to: '/admin/apis' });
    await queries.invalidateQueries({ queryKey: apisKey(tenant) });
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={t('remove.title', { name })}
      action={t('api.delete')}
      onConfirm={remove}
      typed={name}
      isDangerous
    >
      {t('remove.text', { count: toolIds.length })}
    </ConfirmDialog>
  );
}

/** Where an API is and what it gets. */
function ApiFacts({ api }: { readonly api: Api }) {
  const { t } = useTranslation('apis');
  const { source, baseUrl, auth, origins } = api;
  return (
    <Facts
      facts={{
        [t('column.base')]: baseUrl,
        [t('form.source')]: source.kind === 'address' ? source.address : t('job.asText'),
        [t('api.credential')]: auth.set ? t('api.set', { type: auth.type }) : t('api.notSet'),
        [t('api.origins')]: auth.set && origins.join(', '),
      }}
    />
  );
}

/** The parts of an API. Viewers change nothing. */
function ApiTabs({ tenant, api, canChange }: ApiPartProps & { readonly canChange: boolean }) {
  const { t } = useTranslation('apis');
  const parts = PARTS.filter((part) => canChange || part !== 'settings');
  const { part } = useSearch({ from: '/signed-in/admin/apis/$api' });
  const navigate = useNavigate({ from: '/admin/apis/$api' });
  const show = (next: string | null) =>
    void navigate({
      search: (before) => ({ ...before, part: next as Part }),
      replace: true,
      resetScroll: false,
    });
  return (
    <Tabs
      value={parts.find((each) => each === part) ?? 'tools'}
      onChange={show}
      keepMounted={false}
    >
      <Tabs.List aria-label={t('api.tabs')} mb="md">
        {parts.map((part) => (
          <Tabs.Tab key={part} value={part}>
            {t(`api.${part}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="tools">
        <ToolsTable tenant={tenant} api={api} canChange={canChange} />
      </Tabs.Panel>
      <Tabs.Panel value="report">
        <ReportPanel tenant={tenant} api={api} />
      </Tabs.Panel>
      <Tabs.Panel value="settings">
        <LazySettingsPanel tenant={tenant} api={api} />
      </Tabs.Panel>
      <Tabs.Panel value="history">
        <HistoryTable tenant={tenant} api={api} />
      </Tabs.Panel>
    </Tabs>
  );
}

function ReportPanel({ tenant, api }: ApiPartProps) {
  const report = useQuery(reportQuery(tenant, api.id, api.revision));
  if (report.error) return <ErrorAlert error={report.error} onRetry={report.refetch} />;
  return report.data ? <LazyReportView report={report.data.report} /> : <Waiting />;
}

/** The latest changes of an API. */
function HistoryTable({ tenant, api }: ApiPartProps) {
  const { t } = useTranslation('apis');
  const names = useActorNames(tenant);
  const nameOf = useActionName();
  return (
    <DataTable
      label={t('history.label')}
      rows={api.history}
      rowKey={({ at, action, details }) => `${at} ${action} ${JSON.stringify(details)}`}
      empty={<Text size="sm">{t('history.none')}</Text>}
      columns={[
        {
          header: t('column.action'),
          cell: ({ action, details }) =>
            [nameOf(action), membersOf(details)].filter(Boolean).join(': '),
        },
        {
          header: t('column.who'),
          cell: ({ actor }) => <Actor id={actor} name={names.get(actor) ?? actor} />,
        },
        { header: t('column.when'), align: 'end', cell: ({ at }) => <RelativeTime at={at} /> },
      ]}
    />
  );
}

/** What the keys and the members of the tenant are called now, by their ids. */
function useActorNames(tenant: string): ReadonlyMap<string, string> {
  const { data: known } = useQuery({
    queryKey: ['audit', tenant, 'names'],
    queryFn: ask('GET /tenants/:tenant/audit/names', { tenant }),
    staleTime: 60_000,
  });
  const { data: people } = useQuery({
    queryKey: ['members', tenant, undefined],
    queryFn: ask('GET /tenants/:tenant/members', { tenant }),
  });
  return new Map([
    ...(known?.keys ?? []).map(({ id, name }) => [id, name || id] as const),
    ...(people?.members ?? []).map(({ personId, email }) => [personId, email] as const),
  ]);
}

function Actor({ id, name }: { readonly id: string; readonly name: string }) {
  if (!id.startsWith('key_')) return name;
  return (
    <LinkAnchor to="/admin/settings/keys/$key" params={{ key: id }} size="sm">
      {name}
    </LinkAnchor>
  );
}

function membersOf(details: unknown): string {
  const { members } = (details ?? {}) as { readonly members?: unknown };
  return Array.isArray(members) ? members.join(', ') : '';
}
