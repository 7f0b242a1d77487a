import { Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { DataTable } from '../shared/data-table.tsx';
import { ErrorAlert } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { FactsSkeleton } from '../shared/skeletons.tsx';
import { PARTS, type Part } from './api-search.ts';
import { LazyReportView, LazySettingsPanel } from './lazy-parts.tsx';
import { type Api, type ApiPartProps, reportQuery } from './queries.ts';
import { ToolsTable } from './tools-table.tsx';

/** The parts of an API. Viewers change nothing. */
export function ApiTabs({
  tenant,
  api,
  canChange,
}: ApiPartProps & { readonly canChange: boolean }) {
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
        <LazySettingsPanel key={api.revision} tenant={tenant} api={api} />
      </Tabs.Panel>
      <Tabs.Panel value="history">
        <HistoryTable api={api} />
      </Tabs.Panel>
    </Tabs>
  );
}

function ReportPanel({ tenant, api }: ApiPartProps) {
  const report = useQuery(reportQuery(tenant, api.id, api.revision));
  if (report.error) return <ErrorAlert error={report.error} onRetry={report.refetch} />;
  return report.data ? <LazyReportView report={report.data.report} /> : <FactsSkeleton />;
}

type Entry = Api['history'][number];

/** The latest changes of an API. */
function HistoryTable({ api }: { readonly api: Api }) {
  const { t } = useTranslation('apis');
  return (
    <DataTable
      label={t('history.label')}
      rows={api.history}
      rowKey={({ at, action, details }) => `${at} ${action} ${JSON.stringify(details)}`}
      empty={<Text size="sm">{t('history.none')}</Text>}
      columns={[
        { header: t('column.action'), cell: (entry) => <Action entry={entry} /> },
        { header: t('column.who'), cell: ({ actor }) => actor },
        { header: t('column.when'), align: 'end', cell: ({ at }) => <RelativeTime at={at} /> },
      ]}
    />
  );
}

const ACTIONS = ['created', 'changed', 'refreshed', 'deleted'] as const;

function Action({ entry: { action, details } }: { readonly entry: Entry }) {
  const { t } = useTranslation('apis');
  const known = ACTIONS.find((each) => `registration.${each}` === action);
  if (!known) return action;
  return t(`history.action.${known}`, { members: membersOf(details) });
}

function membersOf(details: unknown): string {
  const { members } = (details ?? {}) as { readonly members?: unknown };
  return Array.isArray(members) ? members.join(', ') : '';
}
