import { Accordion, ActionIcon, Paper, Skeleton, Stack, Tooltip } from '@mantine/core';
import { IconListSearch, IconRefresh, IconTerminal2 } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ComponentProps, lazy, Suspense, useMemo, useRef, useState } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { adminUrl } from '../api/call-admin.ts';
import { useTenant } from '../session/session.ts';
import { ExportButtons, LinkAnchor } from '../shared/buttons.tsx';
import type { CallsFilter } from '../shared/calls-link.tsx';
import { CodeBlock } from '../shared/code-block.tsx';
import { DataTable, useCursorPaging } from '../shared/data-table.tsx';
import { endingOf, useOutcomeSeries } from '../shared/outcome.tsx';
import { EmptyState, ErrorAlert, Hint, PageHeader } from '../shared/page.tsx';
import { FIRST_PAGE } from '../shared/page-search.ts';
import { ExactTime } from '../shared/relative-time.tsx';
import { TimeChart } from '../shared/time-chart.tsx';
import { useFormat } from '../shared/use-format.ts';
import { commandLine, restRequest } from './audit-commands.ts';
import { AuditFilters, type AuditFiltersProps } from './audit-filters.tsx';
import {
  type AuditRecordData,
  chartQuery,
  type NamesData,
  useNames,
  useRecords,
} from './audit-queries.ts';
import {
  type AuditFilterInput,
  type AuditSearch,
  decodeSearch,
  filterOf,
  isFiltered,
} from './audit-search.ts';
import { useCallColumns } from './call-columns.tsx';

const RecordDrawer = lazy(async () => ({
  default: (await import('./record-drawer.tsx')).RecordDrawer,
}));
const route = getRouteApi('/signed-in/admin/audit');

/** Of the description. */
const LINKS = {
  refused: <LinkAnchor to="/admin/overview" hash="refused" inherit underline="always" />,
};

/** The audit log: filters, calls over time, records, and the details of one. */
export function AuditPage() {
  const { t } = useTranslation('audit');
  const given = route.useSearch();
  const search = useMemo(() => decodeSearch(given), [given]);
  const navigate = route.useNavigate();
  const { slug: tenant } = useTenant();
  const names = useNames(tenant);
  const { nowMs, refresh } = useRefresh();
  const { record, ...view } = search;
  const key = JSON.stringify(view);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` is the view.
  const filter = useMemo(() => filterOf(view, nowMs), [key, nowMs]);
  // Loaded with the first record, and kept to give the focus back.
  const drawer = useRef(false);
  drawer.current ||= record !== undefined;
  const change: AuditFiltersProps['change'] = (members) =>
    void navigate({
      search: (before) => withoutUndefined({ ...before, ...members, ...FIRST_PAGE }),
    });
  const open = (auditId: string | undefined) =>
    void navigate({ search: (before) => withoutUndefined({ ...before, record: auditId }) });
  return (
    <Stack gap="md">
      <PageHeader
        title={t('title')}
        description={<Trans t={t} i18nKey="description" components={LINKS} />}
        actions={
          <Actions
            onRefresh={() => {
              refresh();
              change({});
            }}
            exportOf={(format) =>
              adminUrl('GET /tenants/:tenant/audit/export', { tenant, ...filter, format })
            }
          />
        }
      />
      <AuditFilters search={search} names={names} change={change} />
      <AuditTimeline
        tenant={tenant}
        filter={filter}
        search={search}
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
      <Suspense>
        {drawer.current && (
          <RecordDrawer
            tenant={tenant}
            auditId={record}
            names={names}
            onClose={() => open(undefined)}
            onOpen={open}
          />
        )}
      </Suspense>
    </Stack>
  );
}

interface ActionsProps {
  readonly onRefresh: () => void;
  readonly exportOf: ComponentProps<typeof ExportButtons>['addressOf'];
}

function Actions({ onRefresh, exportOf }: ActionsProps) {
  const { t } = useTranslation('audit');
  return (
    <>
      <Tooltip label={t('refresh')}>
        <ActionIcon variant="default" size={30} onClick={onRefresh} aria-label={t('refresh')}>
          <IconRefresh size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <ExportButtons addressOf={exportOf} />
    </>
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

interface AuditTimelineProps {
  readonly tenant: string;
  readonly filter: AuditFilterInput;
  /** The address of the page, for links to some of its calls. */
  readonly search: AuditSearch;
  readonly onBrush: (fromMs: number, toMs: number) => void;
}

const HEIGHT = 140;

/** Calls over time by outcome, from statistics. Dragging across the chart narrows the time. */
function AuditTimeline({ tenant, filter, search, onBrush }: AuditTimelineProps) {
  const { t } = useTranslation('audit');
  const { count } = useFormat();
  const { data, error, refetch } = useQuery(chartQuery(tenant, filter));
  const seriesOf = useOutcomeSeries();
  const series = useMemo(() => {
    const { record: _, ...calls } = search;
    return data ? seriesOf(data.points, calls as CallsFilter) : [];
  }, [data, seriesOf, search]);
  if (error) return <ErrorAlert error={error} onRetry={refetch} />;
  if (data === undefined) {
    return <Skeleton height={HEIGHT + 60} aria-label={t('timeline.loading')} />;
  }
  if (data === null || data.figures.calls === 0) return null;
  const { calls } = data.figures;
  return (
    <Paper withBorder p="sm">
      <TimeChart
        label={t('timeline.label')}
        times={data.timesMs}
        series={series}
        kind="bars"
        isStacked
        format={count}
        height={HEIGHT}
        onBrush={onBrush}
      />
      <Hint role="status" mt={4}>
        {t('timeline.total', { count: calls, formatted: count(calls) })}
      </Hint>
    </Paper>
  );
}

interface AuditTableProps {
  readonly tenant: string;
  readonly filter: AuditFilterInput;
  readonly names: NamesData | undefined;
  readonly isFiltered: boolean;
  readonly opened: string | undefined;
  readonly onOpen: (auditId: string) => void;
}

/** The records that match, newest first, in pages, and how to ask for them elsewhere. */
function AuditTable(props: AuditTableProps) {
  const { tenant, filter, opened, onOpen, isFiltered } = props;
  const { t } = useTranslation('audit');
  const paging = useCursorPaging();
  const records = useRecords(tenant, filter, paging.cursor);
  const columns = useCallColumns<AuditRecordData>(props.names, {
    timeOf: ({ timestamp }) => <ExactTime at={timestamp} />,
    endingOf,
  });
  return (
    <>
      <DataTable<AuditRecordData>
        label={t('title')}
        query={records}
        paging={paging}
        columns={columns}
        rows={records.data?.records}
        rowKey={({ auditId }) => auditId}
        isSelected={({ auditId }) => auditId === opened}
        onOpen={({ auditId }) => onOpen(auditId)}
        empty={
          <EmptyState
            icon={IconListSearch}
            title={t(isFiltered ? 'empty.filtered' : 'empty.title')}
            text={t(records.data?.nextCursor ? 'empty.further' : 'empty.text')}
          />
        }
      />
      {/* Once the height of the table is known. */}
      {records.data && <QueryCode tenant={tenant} filter={filter} />}
    </>
  );
}
