import { Group, NativeSelect, SegmentedControl, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { adminUrl, ask } from '../api/call-admin.ts';
import { usePerson, useTenantInUse } from '../session/session.ts';
import { useActionName, useActions } from '../shared/action-name.ts';
import { ExportButtons, LinkAnchor } from '../shared/buttons.tsx';
import { useEntryName } from '../shared/category-name.ts';
import { type Column, DataTable, useCursorPaging } from '../shared/data-table.tsx';
import { EmptyState, PageHeader } from '../shared/page.tsx';
import { FIRST_PAGE } from '../shared/page-search.ts';
import { RelativeTime } from '../shared/relative-time.tsx';
import { useFormat } from '../shared/use-format.ts';
import type { TrailSearch } from './trail-search.ts';
import {
  actorKindOf,
  subjectOf,
  type TrailEntry,
  type TrailValue,
  valuesOf,
} from './trail-values.ts';

interface Filter {
  readonly action?: string | undefined;
}

/** Who changed what: in the tenant in use, and for operators in the whole gateway. */
export function TrailPage() {
  const { t } = useTranslation('people');
  const tenant = useTenantInUse();
  const isOperator = usePerson()?.isOperator ?? false;
  const search = useSearch({ from: '/signed-in/admin/settings/trail' });
  const navigate = useNavigate({ from: '/admin/settings/trail' });
  const change = (members: { [Name in keyof TrailSearch]: TrailSearch[Name] | undefined }) =>
    void navigate({
      search: (before) => ({ ...before, ...members, ...FIRST_PAGE }) as TrailSearch,
    });
  const nameOf = useActionName();
  const actions = useActions();
  const isWhole = search.scope === 'all' || tenant === null;
  const scope = isWhole && isOperator ? null : (tenant?.slug ?? null);
  const filter: Filter = { action: actions.find((each) => each === search.action) };
  return (
    <>
      <PageHeader
        title={t('trail.title')}
        description={t('trail.description')}
        actions={
          <ExportButtons
            addressOf={(format) =>
              scope === null
                ? adminUrl('GET /trail/export', { ...filter, format })
                : adminUrl('GET /tenants/:tenant/trail/export', {
                    tenant: scope,
                    ...filter,
                    format,
                  })
            }
          />
        }
      />
      <Group mb="md" gap="sm" align="flex-end">
        {isOperator && tenant && (
          <SegmentedControl
            aria-label={t('trail.scope')}
            value={isWhole ? 'all' : 'tenant'}
            onChange={(value) => change({ scope: value === 'all' ? value : undefined })}
            data={[
              { value: 'tenant', label: tenant.name },
              { value: 'all', label: t('trail.whole') },
            ]}
          />
        )}
        <NativeSelect
          label={t('trail.action')}
          value={filter.action ?? ''}
          onChange={({ currentTarget }) => change({ action: currentTarget.value || undefined })}
          data={[
            { value: '', label: t('trail.anyAction') },
            ...actions.map((value) => ({ value, label: nameOf(value) })),
          ]}
        />
      </Group>
      <TrailTable tenant={scope} filter={filter} />
    </>
  );
}

interface TrailTableProps {
  /** Null for the whole gateway. */
  readonly tenant: string | null;
  readonly filter: Filter;
}

function TrailTable({ tenant, filter }: TrailTableProps) {
  const { t } = useTranslation('people');
  const nameOf = useActionName();
  const keyNames = useKeyNames(tenant);
  const paging = useCursorPaging();
  const page = { ...filter, cursor: paging.cursor };
  const trail = useQuery({
    queryKey: ['trail', tenant, page],
    queryFn:
      tenant === null
        ? ask('GET /trail', page)
        : ask('GET /tenants/:tenant/trail', { tenant, ...page }),
  });
  const columns: Column<TrailEntry>[] = [
    {
      header: t('trail.time'),
      width: '9rem',
      isTitle: false,
      cell: (row) => <RelativeTime at={row.timestamp} />,
    },
    { header: t('trail.action'), isTitle: true, cell: ({ action }) => nameOf(action) },
    {
      header: t('trail.subject'),
      cell: (row) => <Subject entry={row} label={subjectOf(row, keyNames)} />,
    },
    { header: t('trail.actor'), cell: (row) => <Actor entry={row} keyNames={keyNames} /> },
    ...(tenant === null
      ? [{ header: t('tenant'), cell: (row: TrailEntry) => row.tenantSlug ?? '–' }]
      : []),
    { header: t('trail.details'), cell: (row) => <Values entry={row} /> },
  ];
  return (
    <DataTable
      label={t('trail.title')}
      query={trail}
      paging={paging}
      rows={trail.data?.entries}
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

interface ActorProps {
  readonly entry: TrailEntry;
  readonly keyNames: ReadonlyMap<string, string>;
}

function Actor({ entry: { actor, actorEmail }, keyNames }: ActorProps) {
  const { t } = useTranslation('people');
  const kind = actorKindOf(actor);
  if (kind === 'person') return actorEmail ?? actor;
  return t(`trail.by.${kind}`, { name: keyNames.get(actor) ?? actor });
}

/** What was changed; a link, where it has a page. */
function Subject({ entry, label }: { readonly entry: TrailEntry; readonly label: string }) {
  const { action, subjectId } = entry;
  const [group = ''] = action.split('.');
  const look = { inherit: true, fw: 550 } as const;
  if (group === 'registration' && action !== 'registration.deleted') {
    return (
      <LinkAnchor to="/admin/apis/$api" params={{ api: subjectId }} {...look}>
        {label}
      </LinkAnchor>
    );
  }
  const page = PAGES[group];
  if (!page) return <strong>{label}</strong>;
  return (
    <LinkAnchor to={`/admin/settings/${page}`} {...look}>
      {label}
    </LinkAnchor>
  );
}

/** The pages of the settings on which the subjects of actions are. */
const PAGES: Readonly<
  Record<string, 'keys' | 'provider-keys' | 'own-keys' | 'members' | 'tenants'>
> = {
  key: 'keys',
  provider_key: 'provider-keys',
  own_key: 'own-keys',
  member: 'members',
  invitation: 'members',
  tenant: 'tenants',
};

/** The members of the details, each on a line of its own. */
function Values({ entry }: { readonly entry: TrailEntry }) {
  const { t } = useTranslation('people');
  const shown = useShownValue();
  return valuesOf(entry).map((value) => (
    <Text key={value.name} size="xs" c="dimmed">
      {t(`trail.member.${value.name as 'role'}`, { defaultValue: value.name })}: {shown(value)}
    </Text>
  ));
}

/** Members whose values are words of the gateway. */
const CHOSEN = ['role', 'before', 'scope', 'mode', 'policy', 'outcome'];

function useShownValue(): (value: TrailValue) => string {
  const { t } = useTranslation('people');
  const { time } = useFormat();
  const nameOf = useEntryName();
  return ({ name, kind, value }) => {
    if (kind === 'none') return t('trail.value.none');
    if (kind === 'boolean') return t(value ? 'trail.value.yes' : 'trail.value.no');
    if (kind === 'time') return time(Number(value));
    if (name === 'allowedTools') return String(value).split(', ').map(nameOf).join(', ');
    return CHOSEN.includes(name)
      ? t(`trail.value.${value as 'admin'}`, { defaultValue: String(value) })
      : String(value);
  };
}
