import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { AdminAnswer } from '../api/admin-types.ts';
import { callAdmin } from '../api/call-admin.ts';
import { rememberTenant } from '../app/tenant-in-use.ts';
import { SignInError } from './sign-in-error.tsx';
import { useSignedIn } from './use-signed-in.ts';

export type Invitation = AdminAnswer<'GET /join'>;

interface JoinFormProps {
  readonly invitation: Invitation;
  readonly token: string;
}

/** Asks for what is needed: a name and a password, the password of the account, or nothing. */
export function JoinForm({ invitation, token }: JoinFormProps) {
  const { t } = useTranslation('signIn');
  const { email, tenant, hasAccount, isSignedIn } = invitation;
  const isNew = !hasAccount;
  const form = useForm({ initialValues: { name: '', password: '' } });
  const goOn = useSignedIn();
  const join = useMutation({
    mutationFn: ({ name, password }: { name: string; password: string }) =>
      callAdmin('POST /join', {
        token,
        ...(isNew && { name }),
        ...(!isSignedIn && { password }),
      }),
    onSuccess: () => {
      rememberTenant(tenant.slug);
      return goOn(`/admin?tenant=${encodeURIComponent(tenant.slug)}`);
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => join.mutate(values))}>
      <Stack>
        {join.error && <SignInError error={join.error} />}
        {!isSignedIn && (
          <TextInput
            label={t('email')}
            value={email}
            readOnly
            variant="filled"
            autoComplete="username"
          />
        )}
        {isNew && (
          <TextInput
            {...form.getInputProps('name')}
            label={t('join.name')}
            autoComplete="name"
            maxLength={100}
            required
            withAsterisk={false}
          />
        )}
        {!isSignedIn && (
          <PasswordInput
            {...form.getInputProps('password')}
            label={t('password')}
            {...(isNew && { description: t('join.rule'), minLength: 12, maxLength: 128 })}
            autoComplete={isNew ? 'new-password' : 'current-password'}
            required
            withAsterisk={false}
          />
        )}
        <Button type="submit" loading={join.isPending}>
          {t('join.submit')}
        </Button>
      </Stack>
    </form>
  );
}
