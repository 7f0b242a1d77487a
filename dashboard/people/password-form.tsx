import { Button, Group, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { isGoodPassword } from './is-good-password.ts';
import { Section } from './section.tsx';
import { sessionsKey } from './session-list.tsx';

const EMPTY = { currentPassword: '', newPassword: '' };

export function PasswordForm() {
  const { t } = useTranslation('people');
  const queries = useQueryClient();
  const form = useForm({
    initialValues: EMPTY,
    validate: {
      newPassword: (text) => (isGoodPassword(text) ? null : t('passwordRule')),
    },
  });
  const change = useMutation({
    mutationFn: (values: typeof EMPTY) => callAdmin('POST /me/password', values),
    onSuccess: async () => {
      form.reset();
      await queries.invalidateQueries({ queryKey: sessionsKey });
      notifications.show({ message: t('account.passwordChanged') });
    },
  });
  return (
    <Section title={t('password')} description={t('account.passwordDescription')}>
      <form onSubmit={form.onSubmit((values) => change.mutate(values))} noValidate>
        <Stack maw="26rem">
          {change.error && <ErrorAlert error={change.error} />}
          <PasswordInput
            {...form.getInputProps('currentPassword')}
            label={t('account.currentPassword')}
            autoComplete="current-password"
          />
          <PasswordInput
            {...form.getInputProps('newPassword')}
            label={t('account.newPassword')}
            description={t('passwordRule')}
            autoComplete="new-password"
          />
          <Group>
            <Button
              type="submit"
              loading={change.isPending}
              disabled={!form.values.currentPassword || !form.values.newPassword}
            >
              {t('account.changePassword')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
