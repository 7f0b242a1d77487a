import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { meQuery, usePerson } from '../app/session.ts';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { Section } from './section.tsx';

export function ProfileForm() {
  const { t } = useTranslation('people');
  const person = usePerson();
  const queries = useQueryClient();
  const form = useForm({ initialValues: { name: person?.name ?? '' } });
  const save = useMutation({
    mutationFn: (values: { name: string }) => callAdmin('PATCH /me', values),
    onSuccess: async () => {
      form.resetDirty();
      await queries.invalidateQueries({ queryKey: meQuery.queryKey });
      notifications.show({ message: t('account.saved') });
    },
  });
  return (
    <Section title={t('account.profile')}>
      <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack maw="26rem">
          {save.error && <ErrorAlert error={save.error} />}
          <TextInput
            label={t('email')}
            value={person?.email ?? ''}
            readOnly
            variant="filled"
            autoComplete="username"
          />
          <TextInput
            {...form.getInputProps('name')}
            label={t('name')}
            maxLength={100}
            autoComplete="name"
            required
            withAsterisk={false}
          />
          <Group>
            <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
              {t('save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
