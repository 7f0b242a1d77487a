import { Button, Group, Radio, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type AdminAnswer, ask, callAdmin } from '../api/call-admin.ts';
import { useCheckedForm } from '../shared/checked-form.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { offerUndo } from '../shared/offer-undo.tsx';
import { ErrorAlert, Hint, Panel } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { RowAction } from '../shared/row-action.tsx';
import { SecretOnce } from '../shared/secret-once.tsx';
import { HeldDialog, useHold } from '../shared/unsaved.tsx';
import { useFormat } from '../shared/use-format.ts';

export const invitationsKey = (tenant: string) => ['invitations', tenant] as const;

type Invitation = AdminAnswer<'GET /tenants/:tenant/invitations'>['invitations'][number];

/** Invitations that nobody has used yet; nothing if there are none. */
export function InvitationList({ tenant }: { readonly tenant: string }) {
  const { t } = useTranslation('people');
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: invitationsKey(tenant),
    queryFn: ask('GET /tenants/:tenant/invitations', { tenant }),
  });
  const reload = () => queries.invalidateQueries({ queryKey: invitationsKey(tenant) });
  const withdraw = useMutation({
    mutationFn: ({ id }: Invitation) =>
      callAdmin('DELETE /tenants/:tenant/invitations/:invitation', { tenant, invitation: id }),
    onSuccess: (_nothing, { id, email }) =>
      offerUndo(t('invitations.withdrawn', { email }), async () => {
        const withdrawn = { tenant, invitation: id };
        await callAdmin('POST /tenants/:tenant/invitations/:invitation/restore', withdrawn);
        await reload();
      }),
    onSettled: reload,
  });
  if (error) return <ErrorAlert error={error} onRetry={refetch} />;
  if (!data || data.invitations.length === 0) return null;
  return (
    <Panel title={t('invitations.title')} description={t('invitations.description')}>
      {withdraw.error && <ErrorAlert error={withdraw.error} />}
      <DataTable
        label={t('invitations.title')}
        rows={data.invitations}
        rowKey={({ id }) => id}
        empty={null}
        columns={[
          { header: t('email'), cell: ({ email }) => email },
          { header: t('role.label'), cell: ({ role }) => t(`role.${role}`) },
          {
            header: t('invitations.expires'),
            cell: ({ expiresAt }) => <RelativeTime at={expiresAt} />,
          },
          {
            header: t('actions'),
            isActions: true,
            cell: (row) => (
              <RowAction
                label={t('invitations.withdraw')}
                name={t('invitations.withdrawOf', row)}
                isPending={withdraw.isPending && withdraw.variables.id === row.id}
                onClick={() => withdraw.mutate(row)}
                isDangerous
              />
            ),
          },
        ]}
      />
    </Panel>
  );
}

interface InviteDialogProps {
  readonly tenant: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Makes the link of an invitation, which is shown once. */
export function InviteDialog({ tenant, isOpen, onClose }: InviteDialogProps) {
  const { t } = useTranslation('people');
  return (
    <HeldDialog opened={isOpen} onClose={onClose} title={t('invite.title')} centered size="lg">
      <Inviting tenant={tenant} onClose={onClose} />
    </HeldDialog>
  );
}

type Values = { email: string; role: 'admin' | 'viewer' };

function Inviting({ tenant, onClose }: Omit<InviteDialogProps, 'isOpen'>) {
  const { t } = useTranslation('people');
  const { time } = useFormat();
  const queries = useQueryClient();
  const invite = useMutation({
    mutationFn: (values: Values) =>
      callAdmin('POST /tenants/:tenant/invitations', { tenant, ...values }),
    onSuccess: () => queries.invalidateQueries({ queryKey: invitationsKey(tenant) }),
  });
  useHold(invite.isPending);
  if (!invite.data) {
    return <InviteForm onSubmit={invite.mutate} {...invite} />;
  }
  const { link, invitation } = invite.data;
  return (
    <SecretOnce secret={link} kind="link" label={t('invite.link')} onSaved={onClose}>
      <Hint>
        {t('invite.linkText', { email: invitation.email, time: time(invitation.expiresAt) })}
      </Hint>
    </SecretOnce>
  );
}

interface InviteFormProps {
  readonly onSubmit: (values: Values) => void;
  readonly isPending: boolean;
  readonly error: Error | null;
}

function InviteForm({ onSubmit, isPending, error }: InviteFormProps) {
  const { t } = useTranslation('people');
  const form = useForm<Values>({ initialValues: { email: '', role: 'viewer' } });
  const checked = useCheckedForm(form.onSubmit(onSubmit));
  return (
    <form {...checked.form}>
      <Stack>
        {error && <ErrorAlert error={error} />}
        <TextInput
          {...form.getInputProps('email')}
          {...checked.field('email')}
          label={t('email')}
          type="email"
          maxLength={254}
          autoComplete="off"
          required
          withAsterisk={false}
          data-autofocus
        />
        <Radio.Group {...form.getInputProps('role')} label={t('role.label')}>
          <Stack gap="xs" mt={6}>
            <Radio value="viewer" label={t('role.viewer')} description={t('role.viewerText')} />
            <Radio value="admin" label={t('role.admin')} description={t('role.adminText')} />
          </Stack>
        </Radio.Group>
        <Group justify="flex-end">
          <Button type="submit" loading={isPending}>
            {t('invite.create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
