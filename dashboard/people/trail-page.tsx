import { Button, Code, Group, NativeSelect, SegmentedControl, Text } from '@mantine/core';
import { IconDownload, IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminAction } from '../../src/access/trail/admin-trail.ts';
import { type AdminAnswer, adminUrl, callAdmin } from '../api/call-admin.ts';
import { usePerson, useTenantInUse } from '../session/session.ts';
import { icon } from '../shared/buttons.tsx';
import { type Column, DataTable, Paging, useCursorPaging } from '../shared/data-table.tsx';
import { EmptyState, ErrorAlert, PageHeader } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';

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
      <TrailTable entries={data?.entries} withTenant={tenant === null} />
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

type Entry = AdminAnswer<'GET /trail'>['entries'][number];

interface TrailTableProps {
  readonly entries: readonly Entry[] | undefined;
  readonly withTenant: boolean;
}

function TrailTable({ entries, withTenant }: TrailTableProps) {
  const { t } = useTranslation('people');
  const tenant: Column<Entry> = {
    header: t('tenant'),
    cell: ({ tenantSlug }) => tenantSlug ?? '–',
  };
  const columns: Column<Entry>[] = [
    {
      header: t('trail.time'),
      width: '9rem',
      isTitle: false,
      cell: (row) => <RelativeTime at={row.timestamp} />,
    },
    {
      header: t('trail.action'),
      isTitle: true,
      width: '11rem',
      cell: (row) => <Action entry={row} />,
    },
    { header: t('trail.actor'), cell: (row) => row.actorEmail ?? <Code>{row.actor}</Code> },
    ...(withTenant ? [tenant] : []),
    { header: t('trail.subject'), cell: (row) => row.subjectEmail ?? <Code>{row.subjectId}</Code> },
    { header: t('trail.details'), cell: (row) => <Details entry={row} /> },
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

function Action({ entry: { action } }: { readonly entry: Entry }) {
  const { t } = useTranslation('people');
  return (
    <Text size="sm" fw={500}>
      {isTrailAction(action) ? t(`trail.actions.${action}`) : action}
    </Text>
  );
}

const MAX_DETAILS = 300;

/** The members of the details, each on a line of its own; values of others are text, whatever they contain. */
function Details({ entry: { details } }: { readonly entry: Entry }) {
  const given = Object.entries(details).filter(([, value]) => value !== null);
  const lines = given.map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${name}: ${text}`.slice(0, MAX_DETAILS);
  });
  return (
    <div>
      {lines.map((line) => (
        <Text key={line} size="xs" c="dimmed">
          {line}
        </Text>
      ))}
    </div>
  );
}

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
  'registration.approved': true,
  'registration.rejected': true,
  'registration.deleted': true,
  'retention.swept': true,
};

const TRAIL_ACTIONS = Object.keys(ACTIONS) as readonly AdminAction[];

/** Whether the dashboard has a text for an action. */
const isTrailAction = (action: string): action is AdminAction => Object.hasOwn(ACTIONS, action);
