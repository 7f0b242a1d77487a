import { Button, NativeSelect, Stack, Text } from '@mantine/core';
import { IconUserPlus, IconUsers } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type AdminAnswer, ask, callAdmin } from '../api/call-admin.ts';
import { meQuery, useTenant } from '../session/session.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { type Column, DataTable, useCursorPaging } from '../shared/data-table.tsx';
import { EmptyState, ErrorAlert, PageHeader } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { InvitationList, InviteDialog } from './invitations.tsx';
import { NameAndEmail } from './name-and-email.tsx';

/** Who belongs to the tenant in use, and who is invited to it. */
export function MembersPage() {
  const { t } = useTranslation('people');
  const { slug, name, canChange } = useTenant();
  const [isInviting, setInviting] = useState(false);
  const invite = (
    <Button leftSection={<IconUserPlus size={18} aria-hidden />} onClick={() => setInviting(true)}>
      {t('invite.title')}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t('members.title')}
        description={t('members.description', { tenant: name })}
        actions={canChange && invite}
      />
      <Stack gap="lg">
        <MemberList key={slug} tenant={slug} canChange={canChange} />
        {canChange && <InvitationList tenant={slug} />}
      </Stack>
      <InviteDialog tenant={slug} isOpen={isInviting} onClose={() => setInviting(false)} />
    </>
  );
}

type Member = AdminAnswer<'GET /tenants/:tenant/members'>['members'][number];

function MemberList({ tenant, canChange }: { tenant: string; canChange: boolean }) {
  const { t } = useTranslation('people');
  const paging = useCursorPaging();
  const [leaving, setLeaving] = useState<Member | null>(null);
  const list = useQuery({
    queryKey: ['members', tenant, paging.cursor],
    queryFn: ask('GET /tenants/:tenant/members', { tenant, cursor: paging.cursor }),
  });
  const { setRole, remove } = useMemberChanges(tenant);
  const columns: Column<Member>[] = [
    { header: t('name'), cell: (row) => <NameAndEmail {...row} /> },
    {
      header: t('role.label'),
      width: '12rem',
      cell: (row) =>
        canChange ? (
          <RoleSelect member={row} onChange={(role) => setRole.mutate({ ...row, role })} />
        ) : (
          <Text size="sm">{t(`role.${row.role}`)}</Text>
        ),
    },
    { header: t('members.joined'), cell: (row) => <RelativeTime at={row.joinedAt} /> },
  ];
  const removal: Column<Member> = {
    header: t('actions'),
    isActions: true,
    cell: (row) => (
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        aria-label={t('members.removeOf', { name: row.name })}
        onClick={() => setLeaving(row)}
      >
        {t('members.remove')}
      </Button>
    ),
  };
  return (
    <section aria-label={t('members.title')}>
      {setRole.error && <ErrorAlert error={setRole.error} />}
      <DataTable
        label={t('members.title')}
        query={list}
        paging={paging}
        rows={list.data?.members}
        rowKey={({ personId }) => personId}
        columns={canChange ? [...columns, removal] : columns}
        empty={
          <EmptyState icon={IconUsers} title={t('members.empty')} text={t('members.emptyText')} />
        }
      />
      <ConfirmDialog
        isOpen={leaving !== null}
        onClose={() => setLeaving(null)}
        title={t('members.removeTitle', { name: leaving?.name ?? '' })}
        action={t('members.remove')}
        onConfirm={() => (leaving ? remove(leaving) : Promise.resolve())}
        isDangerous
      >
        {t('members.removeText', { name: leaving?.name ?? '' })}
      </ConfirmDialog>
    </section>
  );
}

interface RoleSelectProps {
  readonly member: Member;
  readonly onChange: (role: Member['role']) => void;
}

function RoleSelect({ member, onChange }: RoleSelectProps) {
  const { t } = useTranslation('people');
  return (
    <NativeSelect
      size="xs"
      aria-label={t('members.roleOf', { name: member.name })}
      value={member.role}
      data={[
        { value: 'admin', label: t('role.admin') },
        { value: 'viewer', label: t('role.viewer') },
      ]}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === 'admin' ? 'admin' : 'viewer')
      }
    />
  );
}

function useMemberChanges(tenant: string) {
  const queries = useQueryClient();
  const reload = async () => {
    await queries.invalidateQueries({ queryKey: ['members', tenant] });
    // Someone may change or remove itself.
    await queries.invalidateQueries({ queryKey: meQuery.queryKey });
  };
  const setRole = useMutation({
    mutationFn: ({ personId, role }: Pick<Member, 'personId' | 'role'>) =>
      callAdmin('PATCH /tenants/:tenant/members/:person', { tenant, person: personId, role }),
    onSettled: reload,
  });
  const remove = async ({ personId }: Member): Promise<void> => {
    await callAdmin('DELETE /tenants/:tenant/members/:person', { tenant, person: personId });
    await reload();
  };
  return { setRole, remove };
}
