import { Alert, Box, Button, Paper, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ask, callAdmin } from '../api/call-admin.ts';
import { useCheckedForm } from '../shared/checked-form.tsx';
import { Hint, PageHeader } from '../shared/page.tsx';
import { ProviderButton, SignInError, useSignedIn } from './parts.tsx';
import { safeBack } from './sign-in-search.ts';

/** Signs a person in and returns to where one was. */
export function SignInPage() {
  const { t } = useTranslation('signIn');
  const { back, error } = useSearch({ from: '/admin/sign-in' });
  const page = safeBack(back, window.location.origin);
  const { data } = useQuery({ queryKey: ['session'], queryFn: ask('GET /session', {}) });
  return (
    <Box maw="26rem" mx="auto" mt="clamp(1rem, 8vh, 6rem)">
      <PageHeader title={t('title')} description={t('description')} />
      <Paper withBorder p="lg" radius="lg">
        <Stack>
          {error && (
            <Alert color="red" role="alert">
              {t('providerFailed')}
            </Alert>
          )}
          <SignInForm page={page} />
          {data?.hasOidc && <ProviderButton returnTo={page} />}
        </Stack>
      </Paper>
      <Hint mt="md" ta="center">
        {t('forgotten')}
      </Hint>
    </Box>
  );
}

function SignInForm({ page }: { readonly page: string }) {
  const { t } = useTranslation('signIn');
  const form = useForm({ initialValues: { email: '', password: '' } });
  const goOn = useSignedIn();
  const signIn = useMutation({
    mutationFn: (values: { email: string; password: string }) => callAdmin('POST /session', values),
    onSuccess: () => goOn(page),
  });
  const checked = useCheckedForm(form.onSubmit((values) => signIn.mutate(values)));
  return (
    <form {...checked.form}>
      <Stack>
        {signIn.error && <SignInError error={signIn.error} wrong={t('wrong')} />}
        <TextInput
          {...form.getInputProps('email')}
          {...checked.field('email')}
          label={t('email')}
          // The first administrator may be admin@localhost, which browsers do not take for an address.
          inputMode="email"
          autoComplete="username"
          maxLength={254}
          required
          withAsterisk={false}
        />
        <PasswordInput
          {...form.getInputProps('password')}
          {...checked.field('password')}
          label={t('password')}
          autoComplete="current-password"
          required
          withAsterisk={false}
        />
        <Button type="submit" loading={signIn.isPending}>
          {t('title')}
        </Button>
      </Stack>
    </form>
  );
}
