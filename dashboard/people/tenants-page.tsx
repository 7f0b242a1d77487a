import { Button, Code, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconBuilding, IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type AdminAnswer, ask, callAdmin } from '../api/call-admin.ts';
import { meQuery } from '../session/session.ts';
import { icon, LinkAnchor } from '../shared/buttons.tsx';
import { DataTable, useCursorPaging } from '../shared/data-table.tsx';
import { EmptyState, ErrorAlert, PageHeader } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { RowAction } from '../shared/row-action.tsx';
import { useFormat } from '../shared/use-format.ts';

export type ListedTenant = AdminAnswer<'GET /tenants'>['tenants'][number];

/** The tenants of the gateway, for operators. */
export function TenantsPage() {
  const { t } = useTranslation('people');
  const { count } = useFormat();
  const paging = useCursorPaging();
  const [edited, setEdited] = useState<EditedTenant | null>(null);
  const list = useQuery({
    queryKey: ['tenants', paging.cursor],
    queryFn: ask('GET /tenants', { cursor: paging.cursor }),
  });
  const today = useToday();
  const numeric = (key: 'members' | 'keys' | 'registrations') => ({
    key,
    header: t(`tenants.${key}`),
    align: 'end' as const,
    cell: (row: ListedTenant) => count(row[key]),
    sort: (row: ListedTenant) => row[key],
  });
  return (
    <>
      <PageHeader
        title={t('tenants.title')}
        description={t('tenants.description')}
        actions={
          <Button leftSection={icon(IconPlus)} onClick={() => setEdited({})}>
            {t('tenants.create')}
          </Button>
        }
      />
      <DataTable
        query={list}
        paging={paging}
        label={t('tenants.title')}
        rows={list.data?.tenants}
        rowKey={({ id }) => id}
        empty={<EmptyState icon={IconBuilding} title={t('tenants.empty')} />}
        columns={[
          {
            header: t('name'),
            cell: (row) => <TenantName tenant={row} />,
            sort: ({ name }) => name,
          },
          today('callsToday'),
          today('failuresToday'),
          today('refusedToday'),
          numeric('members'),
          numeric('keys'),
          numeric('registrations'),
          {
            header: t('created'),
            cell: (row) => <RelativeTime at={row.createdAt} />,
            sort: ({ createdAt }) => createdAt,
          },
          {
            header: t('actions'),
            isActions: true,
            cell: (row) => (
              <RowAction
                label={t('tenants.rename')}
                name={t('tenants.renameOf', { name: row.name })}
                onClick={() => setEdited(row)}
              />
            ),
          },
        ]}
      />
      <TenantDialog tenant={edited} onClose={() => setEdited(null)} />
    </>
  );
}

/** Columns of what the tenants did today. */
function useToday() {
  const { t } = useTranslation('people');
  const { count } = useFormat();
  const used = useQuery({
    queryKey: ['statistics', 'tenants'],
    queryFn: ask('GET /statistics/tenants', {}),
    refetchInterval: 30_000,
  });
  const usedBy = new Map(used.data?.tenants.map((each) => [each.tenant, each]));
  return (key: 'callsToday' | 'failuresToday' | 'refusedToday') => ({
    key,
    header: t(`tenants.${key}`),
    align: 'end' as const,
    cell: ({ slug }: ListedTenant) => (used.data ? count(usedBy.get(slug)?.[key] ?? 0) : '–'),
    sort: ({ slug }: ListedTenant) => usedBy.get(slug)?.[key] ?? 0,
  });
}

/** Leads to the overview of the tenant. */
const TenantName = ({ tenant: { slug, name } }: { readonly tenant: ListedTenant }) => (
  <Group gap="xs">
    <LinkAnchor to="/admin/overview" search={{ tenant: slug }} size="sm" fw={500}>
      {name}
    </LinkAnchor>
    <Code>{slug}</Code>
  </Group>
);

/** A tenant whose name is changed, or a new one. */
interface EditedTenant {
  readonly slug?: string;
  readonly name?: string;
}

interface TenantDialogProps {
  /** Null: the dialog is closed. */
  readonly tenant: EditedTenant | null;
  readonly onClose: () => void;
}

function TenantDialog({ tenant, onClose }: TenantDialogProps) {
  const { t } = useTranslation('people');
  const title = t(tenant?.slug === undefined ? 'tenants.create' : 'tenants.renameTitle');
  return (
    <Modal opened={tenant !== null} onClose={onClose} title={title} centered>
      {tenant && <TenantForm tenant={tenant} onClose={onClose} />}
    </Modal>
  );
}

function TenantForm({ tenant, onClose }: { tenant: EditedTenant; onClose: () => void }) {
  const { t } = useTranslation('people');
  const queries = useQueryClient();
  const isNew = tenant.slug === undefined;
  const form = useForm({ initialValues: { slug: tenant.slug ?? '', name: tenant.name ?? '' } });
  const save = useMutation({
    mutationFn: ({ slug, name }: { slug: string; name: string }) =>
      isNew
        ? callAdmin('POST /tenants', { slug, name })
        : callAdmin('PATCH /tenants/:tenant', { tenant: slug, name }),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries({ queryKey: ['tenants'] });
      await queries.invalidateQueries({ queryKey: meQuery.queryKey });
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack>
        {save.error && <ErrorAlert error={save.error} />}
        <TextInput
          {...form.getInputProps('name')}
          label={t('name')}
          maxLength={100}
          required
          withAsterisk={false}
          data-autofocus
        />
        <TextInput
          {...form.getInputProps('slug')}
          label={t('tenants.slug')}
          description={t('tenants.slugText')}
          maxLength={40}
          pattern="[a-z0-9]+(-[a-z0-9]+)*"
          required
          withAsterisk={false}
          readOnly={!isNew}
          variant={isNew ? 'default' : 'filled'}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            {t(isNew ? 'tenants.create' : 'save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
