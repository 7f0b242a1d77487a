import { Button, Group, NativeSelect, SegmentedControl } from '@mantine/core';
import { IconDownload, IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { adminUrl, callAdmin } from '../api/call-admin.ts';
import { usePerson } from '../app/session.ts';
import { useTenantInUse } from '../app/tenant-in-use.ts';
import { EmptyState } from '../shared/empty-state.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { PageHeader } from '../shared/page-header.tsx';
import { Paging, useCursorPaging } from '../shared/paging.tsx';
import { TRAIL_ACTIONS } from './trail-actions.ts';
import { TrailTable } from './trail-table.tsx';

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
      leftSection={<IconDownload size={16} aria-hidden />}
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
