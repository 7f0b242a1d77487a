import { Accordion, ActionIcon, Button, Stack, Tooltip } from '@mantine/core';
import { IconDownload, IconRefresh, IconTerminal2 } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { adminUrl } from '../api/call-admin.ts';
import { useTenant } from '../session/session.ts';
import { icon } from '../shared/buttons.tsx';
import { CodeBlock } from '../shared/code-block.tsx';
import { PageHeader } from '../shared/page.tsx';
import { commandLine, restRequest } from './audit-commands.ts';
import { AuditFilters, type AuditFiltersProps } from './audit-filters.tsx';
import { useNames } from './audit-queries.ts';
import { type AuditFilterInput, filterOf, isFiltered } from './audit-search.ts';
import { AuditTable } from './audit-table.tsx';
import { AuditTimeline } from './audit-timeline.tsx';
import { RecordDrawer } from './record-drawer.tsx';

const route = getRouteApi('/signed-in/admin/audit');

/** The audit log: filters, calls over time, records, and the details of one. */
export function AuditPage() {
  const { t } = useTranslation('audit');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { slug: tenant } = useTenant();
  const names = useNames(tenant);
  const { nowMs, refresh } = useRefresh();
  const { record, ...view } = search;
  const key = JSON.stringify(view);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` is the view.
  const filter = useMemo(() => filterOf(view, nowMs), [key, nowMs]);
  const change: AuditFiltersProps['change'] = (members) =>
    void navigate({ search: (before) => withoutUndefined({ ...before, ...members }) });
  const open = (auditId: string | undefined) =>
    void navigate({ search: (before) => withoutUndefined({ ...before, record: auditId }) });
  return (
    <Stack gap="md">
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={
          <>
            <Tooltip label={t('refresh')}>
              <ActionIcon variant="default" size={30} onClick={refresh} aria-label={t('refresh')}>
                <IconRefresh size={16} aria-hidden />
              </ActionIcon>
            </Tooltip>
            <ExportButtons tenant={tenant} filter={filter} />
          </>
        }
      />
      <AuditFilters search={search} names={names} change={change} />
      <AuditTimeline
        tenant={tenant}
        filter={filter}
        onBrush={(fromMs, toMs) =>
          change({
            from: new Date(fromMs).toISOString(),
            to: new Date(toMs).toISOString(),
            last: undefined,
          })
        }
      />
      <AuditTable
        tenant={tenant}
        filter={filter}
        names={names}
        isFiltered={isFiltered(search)}
        opened={record}
        onOpen={open}
      />
      <QueryCode tenant={tenant} filter={filter} />
      <RecordDrawer
        tenant={tenant}
        auditId={record}
        names={names}
        onClose={() => open(undefined)}
        onOpen={open}
      />
    </Stack>
  );
}

/** The end of "the last hour": it moves only when the reader asks for it, so that pages fit together. */
function useRefresh() {
  const queries = useQueryClient();
  const [nowMs, setNow] = useState(() => Date.now());
  const refresh = () => {
    setNow(Date.now());
    void queries.invalidateQueries({ queryKey: ['audit'] });
  };
  return { nowMs, refresh };
}

const withoutUndefined = <T extends object>(members: T) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** Downloads of every record that matches, however many there are. */
function ExportButtons({ tenant, filter }: { tenant: string; filter: AuditFilterInput }) {
  const { t } = useTranslation('audit');
  return (['csv', 'ndjson'] as const).map((format) => (
    <Button
      key={format}
      component="a"
      size="xs"
      variant="default"
      download
      href={adminUrl('GET /tenants/:tenant/audit/export', { tenant, ...filter, format })}
      leftSection={icon(IconDownload)}
    >
      {t(`export.${format}`)}
    </Button>
  ));
}

/** The query of the page, to repeat it outside the dashboard. */
function QueryCode({ tenant, filter }: { tenant: string; filter: AuditFilterInput }) {
  const { t } = useTranslation('audit');
  return (
    <Accordion variant="contained" chevronPosition="left">
      <Accordion.Item value="code">
        <Accordion.Control icon={<IconTerminal2 size={18} aria-hidden />}>
          {t('code.title')}
        </Accordion.Control>
        <Accordion.Panel>
          <Stack gap="sm">
            <CodeBlock label={t('code.commandLine')} code={commandLine(tenant, filter)} />
            <CodeBlock label={t('code.rest')} code={restRequest(window.location.origin, filter)} />
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
