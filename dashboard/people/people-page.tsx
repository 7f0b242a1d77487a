import { ActionIcon, Badge, Menu } from '@mantine/core';
import { IconDots, IconKey, IconShield, IconShieldOff, IconUsers } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminAnswer } from '../api/admin-types.ts';
import { callAdmin } from '../api/call-admin.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { EmptyState } from '../shared/empty-state.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { PageHeader } from '../shared/page-header.tsx';
import { Paging, useCursorPaging } from '../shared/paging.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { useFormat } from '../shared/use-format.ts';
import { NameAndEmail } from './name-and-email.tsx';
import { PasswordReset } from './password-reset.tsx';

export type ListedPerson = AdminAnswer<'GET /people'>['people'][number];

/** Everyone who may sign in, for operators. */
export function PeoplePage() {
  const { t } = useTranslation('people');
  const { count } = useFormat();
  const paging = useCursorPaging();
  const queries = useQueryClient();
  const [resetting, setResetting] = useState<ListedPerson | null>(null);
  const [changing, setChanging] = useState<ListedPerson | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: ['people', paging.cursor],
    queryFn: ({ signal }) => callAdmin('GET /people', { cursor: paging.cursor }, { signal }),
  });
  const setOperator = async ({ id, isOperator }: ListedPerson): Promise<void> => {
    await callAdmin('PATCH /people/:person', { person: id, isOperator: !isOperator });
    await queries.invalidateQueries();
  };
  const kind = changing?.isOperator ? 'revoke' : 'grant';
  return (
    <>
      <PageHeader title={t('everyone.title')} description={t('everyone.description')} />
      {error && <ErrorAlert error={error} onRetry={refetch} />}
      {!error && (
        <DataTable
          label={t('everyone.title')}
          rows={data?.people}
          rowKey={({ id }) => id}
          empty={<EmptyState icon={IconUsers} title={t('everyone.title')} />}
          columns={[
            { key: 'name', header: t('name'), cell: (row) => <NameAndEmail {...row} /> },
            {
              key: 'operator',
              header: t('role.label'),
              cell: (row) =>
                row.isOperator ? <Badge variant="light">{t('role.operator')}</Badge> : '–',
            },
            {
              key: 'tenants',
              header: t('tenants.title'),
              align: 'end',
              cell: (row) => count(row.tenants),
            },
            {
              key: 'created',
              header: t('created'),
              cell: (row) => <RelativeTime at={row.createdAt} />,
            },
            {
              key: 'actions',
              header: t('actions'),
              isActions: true,
              cell: (row) => (
                <PersonMenu
                  person={row}
                  onReset={() => setResetting(row)}
                  onChange={() => setChanging(row)}
                />
              ),
            },
          ]}
        />
      )}
      <Paging paging={paging} nextCursor={data?.nextCursor} />
      <PasswordReset person={resetting} onClose={() => setResetting(null)} />
      <ConfirmDialog
        isOpen={changing !== null}
        onClose={() => setChanging(null)}
        title={t(`everyone.${kind}Operator`)}
        action={t(`everyone.${kind}Operator`)}
        onConfirm={() => (changing ? setOperator(changing) : Promise.resolve())}
        isDangerous={kind === 'revoke'}
      >
        {t(`everyone.${kind}Text`, { name: changing?.name ?? '' })}
      </ConfirmDialog>
    </>
  );
}

interface PersonMenuProps {
  readonly person: ListedPerson;
  readonly onReset: () => void;
  readonly onChange: () => void;
}

function PersonMenu({ person: { name, isOperator }, onReset, onChange }: PersonMenuProps) {
  const { t } = useTranslation('people');
  const Icon = isOperator ? IconShieldOff : IconShield;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('everyone.menuOf', { name })}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconKey size={16} aria-hidden />} onClick={onReset}>
          {t('everyone.reset')}
        </Menu.Item>
        <Menu.Item leftSection={<Icon size={16} aria-hidden />} onClick={onChange}>
          {t(`everyone.${isOperator ? 'revoke' : 'grant'}Operator`)}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
