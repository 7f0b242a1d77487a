import { Skeleton, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { HistoryTable } from './history-table.tsx';
import { LazyReportView, LazySettingsPanel, LazyTrialPanel } from './lazy-parts.tsx';
import { type Api, reportQuery } from './queries.ts';
import { ToolsTable } from './tools-table.tsx';

export interface ApiPartProps {
  readonly tenant: string;
  readonly api: Api;
}

const PARTS = ['tools', 'try', 'report', 'settings', 'history'] as const;

/** The parts of an API. Viewers neither try what is not released nor change anything. */
export function ApiTabs({
  tenant,
  api,
  canChange,
}: ApiPartProps & { readonly canChange: boolean }) {
  const { t } = useTranslation('apis');
  const parts = PARTS.filter((part) => canChange || (part !== 'try' && part !== 'settings'));
  return (
    <Tabs defaultValue="tools" keepMounted={false}>
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
      <Tabs.Panel value="try">
        <LazyTrialPanel
          subject={{ tenant, kind: 'api', id: api.id }}
          tools={api.tools.map(({ name }) => name)}
          needsAuth={false}
        />
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
  return report.data ? <LazyReportView report={report.data.report} /> : <Skeleton h={200} />;
}
