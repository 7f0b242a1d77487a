import { ActionIcon, Stack, Tooltip } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useTenant } from '../app/tenant-in-use.ts';
import { PageHeader } from '../shared/page-header.tsx';
import { AuditFilters, type AuditFiltersProps } from './audit-filters.tsx';
import { useNames } from './audit-queries.ts';
import { filterOf, isFiltered } from './audit-search.ts';
import { AuditTable } from './audit-table.tsx';
import { AuditTimeline } from './audit-timeline.tsx';
import { ExportButtons } from './export-buttons.tsx';
import { QueryCode } from './query-code.tsx';
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
