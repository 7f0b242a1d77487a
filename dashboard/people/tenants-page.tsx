import { Button, Code, Group } from '@mantine/core';
import { IconBuilding, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminAnswer } from '../api/admin-types.ts';
import { callAdmin } from '../api/call-admin.ts';
import { DataTable } from '../shared/data-table.tsx';
import { EmptyState } from '../shared/empty-state.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { PageHeader } from '../shared/page-header.tsx';
import { Paging, useCursorPaging } from '../shared/paging.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { useFormat } from '../shared/use-format.ts';
import classes from './people.module.css';
import { type EditedTenant, TenantDialog } from './tenant-dialog.tsx';

export type ListedTenant = AdminAnswer<'GET /tenants'>['tenants'][number];

/** The tenants of the gateway, for operators. */
export function TenantsPage() {
  const { t } = useTranslation('people');
  const { count } = useFormat();
  const paging = useCursorPaging();
  const [edited, setEdited] = useState<EditedTenant | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: ['tenants', paging.cursor],
    queryFn: ({ signal }) => callAdmin('GET /tenants', { cursor: paging.cursor }, { signal }),
  });
  const create = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setEdited({})}>
      {t('tenants.create')}
    </Button>
  );
  const numeric = (key: 'members' | 'keys' | 'registrations') => ({
    key,
    header: t(`tenants.${key}`),
    align: 'end' as const,
    cell: (row: ListedTenant) => count(row[key]),
  });
  return (
    <>
      <PageHeader
        title={t('tenants.title')}
        description={t('tenants.description')}
        actions={create}
      />
      {error && <ErrorAlert error={error} onRetry={refetch} />}
      {!error && (
        <DataTable
          label={t('tenants.title')}
          rows={data?.tenants}
          rowKey={({ id }) => id}
          empty={<EmptyState icon={IconBuilding} title={t('tenants.empty')} />}
          columns={[
            { key: 'name', header: t('name'), cell: (row) => <TenantName tenant={row} /> },
            numeric('members'),
            numeric('keys'),
            numeric('registrations'),
            {
              key: 'created',
              header: t('created'),
              cell: (row) => <RelativeTime at={row.createdAt} />,
            },
            {
              key: 'rename',
              header: t('actions'),
              isActions: true,
              cell: (row) => (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  aria-label={t('tenants.renameOf', { name: row.name })}
                  onClick={() => setEdited(row)}
                >
                  {t('tenants.rename')}
                </Button>
              ),
            },
          ]}
        />
      )}
      <Paging paging={paging} nextCursor={data?.nextCursor} />
      <TenantDialog tenant={edited} onClose={() => setEdited(null)} />
    </>
  );
}

const TenantName = ({ tenant: { slug, name } }: { readonly tenant: ListedTenant }) => (
  <Group gap="xs">
    <Link to="/admin/settings/members" search={{ tenant: slug }} className={classes.link}>
      {name}
    </Link>
    <Code>{slug}</Code>
  </Group>
);
