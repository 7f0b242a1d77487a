import { Button, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { SecretOnce } from '../shared/secret-once.tsx';
import { useFormat } from '../shared/use-format.ts';
import { invitationsKey } from './invitation-list.tsx';

interface InviteDialogProps {
  readonly tenant: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Makes the link of an invitation, which is shown once. */
export function InviteDialog({ tenant, isOpen, onClose }: InviteDialogProps) {
  const { t } = useTranslation('people');
  return (
    <Modal opened={isOpen} onClose={onClose} title={t('invite.title')} centered size="lg">
      <Inviting tenant={tenant} onClose={onClose} />
    </Modal>
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
  if (!invite.data) {
    return <InviteForm onSubmit={invite.mutate} {...invite} />;
  }
  const { link, invitation } = invite.data;
  return (
    <Stack>
      <SecretOnce secret={link} label={t('invite.link')}>
        <Text size="sm" c="dimmed">
          {t('invite.linkText', { email: invitation.email, time: time(invitation.expiresAt) })}
        </Text>
      </SecretOnce>
      <Group justify="flex-end">
        <Button onClick={onClose}>{t('done')}</Button>
      </Group>
    </Stack>
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
