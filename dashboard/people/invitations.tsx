import { Button, Group, Radio, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ask, callAdmin } from '../api/call-admin.ts';
import { DataTable } from '../shared/data-table.tsx';
import { ErrorAlert, Hint, Panel } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { SecretDialog, SecretOnce, useHold } from '../shared/secret-once.tsx';
import { useFormat } from '../shared/use-format.ts';

export const invitationsKey = (tenant: string) => ['invitations', tenant] as const;

/** Invitations that nobody has used yet; nothing if there are none. */
export function InvitationList({ tenant }: { readonly tenant: string }) {
  const { t } = useTranslation('people');
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: invitationsKey(tenant),
    queryFn: ask('GET /tenants/:tenant/invitations', { tenant }),
  });
  const withdraw = useMutation({
    mutationFn: (invitation: string) =>
      callAdmin('DELETE /tenants/:tenant/invitations/:invitation', { tenant, invitation }),
    onSettled: () => queries.invalidateQueries({ queryKey: invitationsKey(tenant) }),
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
            cell: ({ id, email }) => (
              <Button
                size="compact-sm"
                variant="subtle"
                color="red"
                aria-label={t('invitations.withdrawOf', { email })}
                loading={withdraw.isPending && withdraw.variables === id}
                onClick={() => withdraw.mutate(id)}
              >
                {t('invitations.withdraw')}
              </Button>
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
    <SecretDialog opened={isOpen} onClose={onClose} title={t('invite.title')} centered size="lg">
      <Inviting tenant={tenant} onClose={onClose} />
    </SecretDialog>
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
  return (
    <form onSubmit={form.onSubmit(onSubmit)}>
      <Stack>
        {error && <ErrorAlert error={error} />}
        <TextInput
          {...form.getInputProps('email')}
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
