import { Button, Code, Group, NativeSelect, SegmentedControl, Text } from '@mantine/core';
import { IconDownload, IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminAction } from '../../src/access/trail/admin-trail.ts';
import { adminUrl, ask, callAdmin } from '../api/call-admin.ts';
import { usePerson, useTenantInUse } from '../session/session.ts';
import { icon } from '../shared/buttons.tsx';
import { type Column, DataTable, Paging, useCursorPaging } from '../shared/data-table.tsx';
import { EmptyState, ErrorAlert, PageHeader } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { TrailSentence, TrailValues } from './trail-sentence.tsx';
import type { TrailEntry } from './trail-values.ts';

interface Filter {
  readonly action?: string | undefined;
}

/** Who changed what: in the tenant in use, and for operators in the whole gateway. */
export function TrailPage() {
  const { t } = useTranslation('people');
  const tenant = useTenantInUse();
  const isOperator = usePerson()?.isOperator ?? false;
  const [isWhole, setWhole] = useState(tenant === null);
  const [action, setAction] = useState('');
  const scope = isWhole && isOperator ? null : (tenant?.slug ?? null);
  const filter: Filter = { action: action || undefined };
  if (!isOperator && !tenant?.canChange) return <OnlyAdmins />;
  return (
    <>
      <PageHeader
        title={t('trail.title')}
        description={t('trail.description')}
        actions={<ExportButtons tenant={scope} filter={filter} />}
      />
      <Group mb="md" gap="sm" align="flex-end">
        {isOperator && tenant && (
          <SegmentedControl
            aria-label={t('trail.scope')}
            value={isWhole ? 'all' : 'tenant'}
            onChange={(value) => setWhole(value === 'all')}
            data={[
              { value: 'tenant', label: tenant.name },
              { value: 'all', label: t('trail.whole') },
            ]}
          />
        )}
        <NativeSelect
          label={t('trail.action')}
          value={action}
          onChange={({ currentTarget }) => setAction(currentTarget.value)}
          data={[
            { value: '', label: t('trail.anyAction') },
            ...TRAIL_ACTIONS.map((value) => ({ value, label: t(`trail.actions.${value}`) })),
          ]}
        />
      </Group>
      <Entries tenant={scope} filter={filter} />
    </>
  );
}

function Entries({ tenant, filter }: { readonly tenant: string | null; readonly filter: Filter }) {
  const paging = useCursorPaging(`${tenant} ${filter.action}`);
  const page = { ...filter, cursor: paging.cursor };
  const { data, error, refetch } = useQuery({
    queryKey: ['trail', tenant, page],
    queryFn: ({ signal }) =>
      tenant === null
        ? callAdmin('GET /trail', page, { signal })
        : callAdmin('GET /tenants/:tenant/trail', { tenant, ...page }, { signal }),
  });
  if (error) return <ErrorAlert error={error} onRetry={refetch} />;
  return (
    <>
      <TrailTable entries={data?.entries} tenantSlug={tenant} />
      <Paging paging={paging} nextCursor={data?.nextCursor} />
    </>
  );
}

const FORMATS = ['csv', 'ndjson'] as const;

function ExportButtons({ tenant, filter }: { tenant: string | null; filter: Filter }) {
  const { t } = useTranslation('people');
  const addressOf = (format: (typeof FORMATS)[number]): string =>
    tenant === null
      ? adminUrl('GET /trail/export', { ...filter, format })
      : adminUrl('GET /tenants/:tenant/trail/export', { tenant, ...filter, format });
  return FORMATS.map((format) => (
    <Button
      key={format}
      component="a"
      href={addressOf(format)}
      download
      variant="default"
      leftSection={icon(IconDownload)}
    >
      {t(`trail.${format}`)}
    </Button>
  ));
}

function OnlyAdmins() {
  const { t } = useTranslation('people');
  return (
    <>
      <PageHeader title={t('trail.title')} />
      <EmptyState icon={IconHistory} title={t('trail.onlyAdmins')} text={t('trail.askAdmin')} />
    </>
  );
}

interface TrailTableProps {
  readonly entries: readonly TrailEntry[] | undefined;
  /** Null for the whole gateway. */
  readonly tenantSlug: string | null;
}

function TrailTable({ entries, tenantSlug }: TrailTableProps) {
  const { t } = useTranslation('people');
  const keyNames = useKeyNames(tenantSlug);
  const tenant: Column<TrailEntry> = {
    header: t('tenant'),
    cell: (row) => row.tenantSlug ?? '–',
  };
  const columns: Column<TrailEntry>[] = [
    {
      header: t('trail.time'),
      width: '9rem',
      isTitle: false,
      cell: (row) => <RelativeTime at={row.timestamp} />,
    },
    {
      header: t('trail.action'),
      isTitle: true,
      cell: ({ action, ...row }) =>
        isTrailAction(action) ? (
          <TrailSentence entry={{ ...row, action }} keyNames={keyNames} />
        ) : (
          <UnknownAction entry={{ ...row, action }} />
        ),
    },
    ...(tenantSlug === null ? [tenant] : []),
    { header: t('trail.details'), cell: (row) => <TrailValues entry={row} /> },
  ];
  return (
    <DataTable
      label={t('trail.title')}
      rows={entries}
      rowKey={({ id }) => id}
      columns={columns}
      empty={<EmptyState icon={IconHistory} title={t('trail.empty')} text={t('trail.emptyText')} />}
    />
  );
}

/** The names that the keys of a tenant have now, by their ids. */
function useKeyNames(tenant: string | null): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: ['audit', tenant, 'names'],
    queryFn: ask('GET /tenants/:tenant/audit/names', { tenant: tenant ?? '' }),
    enabled: tenant !== null,
    staleTime: 60_000,
  });
  return new Map(data?.keys.flatMap(({ id, name }) => (name ? [[id, name]] : [])));
}

/** An action for which the dashboard has no sentence. */
const UnknownAction = ({ entry }: { readonly entry: TrailEntry }) => (
  <Text size="sm">
    {entry.action}: {entry.actorEmail ?? <Code>{entry.actor}</Code>},{' '}
    {entry.subjectEmail ?? <Code>{entry.subjectId}</Code>}
  </Text>
);

/** What the trail records, in the order in which the filter offers it. Every action must be here. */
const ACTIONS: Readonly<Record<AdminAction, true>> = {
  'key.created': true,
  'key.changed': true,
  'key.rotated': true,
  'key.revoked': true,
  'app.connected': true,
  'app.disconnected': true,
  'app.reuse_detected': true,
  'oauth_client.created': true,
  'oauth_client.deleted': true,
  'provider_key.set': true,
  'provider_key.removed': true,
  'provider_key.tested': true,
  'provider_key.applied': true,
  'provider_key.policy': true,
  'provider_key.quota': true,
  'own_key.set': true,
  'own_key.removed': true,
  'own_key.origins': true,
  'member.added': true,
  'member.changed': true,
  'member.removed': true,
  'invitation.created': true,
  'invitation.withdrawn': true,
  'person.created': true,
  'person.renamed': true,
  'person.deleted': true,
  'person.password_changed': true,
  'person.password_reset': true,
  'person.sessions_ended': true,
  'person.operator_granted': true,
  'person.operator_revoked': true,
  'tenant.created': true,
  'tenant.renamed': true,
  'registration.created': true,
  'registration.changed': true,
  'registration.refreshed': true,
  'registration.deleted': true,
  'retention.swept': true,
};

const TRAIL_ACTIONS = Object.keys(ACTIONS) as readonly AdminAction[];

/** Whether the dashboard has a text for an action. */
const isTrailAction = (action: string): action is AdminAction => Object.hasOwn(ACTIONS, action);
