import { Button, NativeSelect, Stack, Text } from '@mantine/core';
import { IconUserPlus, IconUsers } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type AdminAnswer, ask, callAdmin } from '../api/call-admin.ts';
import { meQuery, usePerson, useTenant } from '../session/session.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { type Column, DataTable, useCursorPaging } from '../shared/data-table.tsx';
import { offerUndo } from '../shared/offer-undo.tsx';
import { EmptyState, ErrorAlert, PageHeader } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { AskingRowAction } from '../shared/row-action.tsx';
import { useOpenForm } from '../shared/use-open-form.ts';
import { InvitationList, InviteDialog } from './invitations.tsx';
import { NameAndEmail } from './name-and-email.tsx';

/** Who belongs to the tenant in use, and who is invited to it. */
export function MembersPage() {
  const { t } = useTranslation('people');
  const { slug, name, canChange } = useTenant();
  const [isInviting, setInviting] = useState(false);
  useOpenForm('invitation', () => setInviting(true));
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
  const list = useQuery({
    queryKey: ['members', tenant, paging.cursor],
    queryFn: ask('GET /tenants/:tenant/members', { tenant, cursor: paging.cursor }),
  });
  const { setRole, remove } = useMemberChanges(tenant);
  const columns: Column<Member>[] = [
    {
      header: t('name'),
      cell: (row) => <NameAndEmail {...row} />,
      sort: ({ name, email }) => name || email,
    },
    {
      header: t('role.label'),
      width: '12rem',
      cell: (row) =>
        canChange ? (
          <RoleSelect member={row} onChange={setRole.mutate} />
        ) : (
          <Text size="sm">{t(`role.${row.role}`)}</Text>
        ),
      sort: ({ role }) => t(`role.${role}`),
    },
    {
      header: t('members.joined'),
      cell: (row) => <RelativeTime at={row.joinedAt} />,
      sort: ({ joinedAt }) => joinedAt,
    },
  ];
  const removal: Column<Member> = {
    header: t('actions'),
    isActions: true,
    cell: (row) => (
      <AskingRowAction
        label={t('members.remove')}
        name={t('members.removeOf', row)}
        title={t('members.removeTitle', row)}
        onConfirm={() => remove(row)}
      >
        {t('members.removeText', row)}
      </AskingRowAction>
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
    </section>
  );
}

interface RoleSelectProps {
  readonly member: Member;
  /** Called with the member as it is to be. */
  readonly onChange: (member: Member) => void;
}

const opposite = { admin: 'viewer', viewer: 'admin' } as const;

/** Changes a role at once. People who take their own role away cannot set it back, and are asked first. */
function RoleSelect({ member, onChange }: RoleSelectProps) {
  const { t } = useTranslation('people');
  const [isAsking, setAsking] = useState(false);
  const isLast = useIsBeyondUndo()(member);
  const change = () => onChange({ ...member, role: opposite[member.role] });
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={t('members.roleOf', member)}
        value={member.role}
        data={[
          { value: 'admin', label: t('role.admin') },
          { value: 'viewer', label: t('role.viewer') },
        ]}
        onChange={() => (isLast ? setAsking(true) : change())}
      />
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('members.ownRoleTitle')}
        action={t('members.ownRole')}
        onConfirm={async () => change()}
        isDangerous
      >
        {t('members.ownRoleText')}
      </ConfirmDialog>
    </>
  );
}

/** Of oneself: who is no admin any more cannot become one again, except operators. */
function useIsBeyondUndo() {
  const person = usePerson();
  return ({ personId }: Member) => personId === person?.id && !person.isOperator;
}

function useMemberChanges(tenant: string) {
  const { t } = useTranslation('people');
  const queries = useQueryClient();
  const isBeyondUndo = useIsBeyondUndo();
  const reload = async () => {
    await queries.invalidateQueries({ queryKey: ['members', tenant] });
    // Someone may change or remove itself.
    await queries.invalidateQueries({ queryKey: meQuery.queryKey });
  };
  const send = async ({ personId, role }: Member): Promise<void> => {
    await callAdmin('PATCH /tenants/:tenant/members/:person', { tenant, person: personId, role });
  };
  const setRole = useMutation({
    mutationFn: send,
    onSuccess: (_nothing, member) => {
      if (isBeyondUndo(member)) return;
      const message = t('members.changed', { name: member.name, role: t(`role.${member.role}`) });
      offerUndo(message, async () => {
        await send({ ...member, role: opposite[member.role] });
        await reload();
      });
    },
    onSettled: reload,
  });
  const remove = async ({ personId }: Member): Promise<void> => {
    await callAdmin('DELETE /tenants/:tenant/members/:person', { tenant, person: personId });
    await reload();
  };
  return { setRole, remove };
}
