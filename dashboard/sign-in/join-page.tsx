import { Box, Button, Paper, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconMailOff } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { AdminError } from '../api/admin-error.ts';
import { type AdminAnswer, ask, callAdmin } from '../api/call-admin.ts';
import { rememberTenant } from '../session/session.ts';
import { LinkButton } from '../shared/buttons.tsx';
import { useCheckedForm } from '../shared/checked-form.tsx';
import { EmptyState, ErrorAlert, PageHeader } from '../shared/page.tsx';
import { Waiting } from '../shared/waiting.tsx';
import { ProviderButton, SignInError, useSignedIn } from './parts.tsx';

/** What the link of an invitation leads to. */
export function JoinPage() {
  const { token } = useSearch({ from: '/admin/join' });
  const { data, error, refetch } = useQuery({
    queryKey: ['join', token],
    queryFn: ask('GET /join', { token }),
    enabled: token !== '',
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isUnusable =
    token === '' || (error instanceof AdminError && error.status < 500 && error.status > 0);
  return (
    <Box maw="26rem" mx="auto" mt="clamp(1rem, 8vh, 6rem)">
      {isUnusable && <Unusable />}
      {!isUnusable && error && <ErrorAlert error={error} onRetry={refetch} />}
      {!data && !error && !isUnusable && <Waiting />}
      {data && <Joining invitation={data} token={token} />}
    </Box>
  );
}

function Joining({ invitation, token }: { invitation: Invitation; token: string }) {
  const { t } = useTranslation('signIn');
  const { tenant, role, isSignedIn, hasOidc, email } = invitation;
  const text = isSignedIn ? 'signedInText' : 'accountText';
  return (
    <>
      <PageHeader
        title={t('join.title', { tenant: tenant.name })}
        description={t('join.description', { role: t(`join.role.${role}`) })}
      />
      <Paper withBorder p="lg" radius="lg">
        <Stack>
          <Text size="sm">{t(`join.${text}`, { email })}</Text>
          <JoinForm invitation={invitation} token={token} />
          {hasOidc && !isSignedIn && (
            <ProviderButton returnTo={`/admin/join?token=${encodeURIComponent(token)}`} />
          )}
        </Stack>
      </Paper>
    </>
  );
}

function Unusable() {
  const { t } = useTranslation('signIn');
  return (
    <>
      <PageHeader title={t('join.invalidTitle')} />
      <EmptyState
        icon={IconMailOff}
        title={t('join.invalidText')}
        action={
          <LinkButton to="/admin/sign-in" variant="default">
            {t('join.toSignIn')}
          </LinkButton>
        }
      />
    </>
  );
}

type Invitation = AdminAnswer<'GET /join'>;

/**
 * Asks a person who is not signed in for a password: that of the account, or a new one. The page does not know which, so
 * that the holder of a link does not learn whether the address has an account.
 */
function JoinForm({ invitation, token }: { invitation: Invitation; token: string }) {
  const { t } = useTranslation('signIn');
  const { email, tenant, isSignedIn } = invitation;
  const form = useForm({ initialValues: { name: '', password: '' } });
  const goOn = useSignedIn();
  const join = useMutation({
    mutationFn: ({ name, password }: { name: string; password: string }) =>
      callAdmin('POST /join', {
        token,
        ...(name.trim() && { name }),
        ...(!isSignedIn && { password }),
      }),
    onSuccess: () => {
      rememberTenant(tenant.slug);
      return goOn(`/admin?tenant=${encodeURIComponent(tenant.slug)}`);
    },
  });
  const checked = useCheckedForm(form.onSubmit((values) => join.mutate(values)));
  return (
    <form {...checked.form}>
      <Stack>
        {join.error && <SignInError error={join.error} wrong={t('join.wrong', { email })} />}
        {!isSignedIn && (
          <>
            <TextInput
              label={t('email')}
              value={email}
              readOnly
              variant="filled"
              autoComplete="username"
            />
            <PasswordInput
              {...form.getInputProps('password')}
              {...checked.field('password')}
              label={t('password')}
              description={t('join.rule')}
              minLength={12}
              maxLength={128}
              autoComplete="current-password"
              required
              withAsterisk={false}
            />
            <TextInput
              {...form.getInputProps('name')}
              label={t('join.name')}
              description={t('join.nameText')}
              autoComplete="name"
              maxLength={100}
            />
          </>
        )}
        <Button type="submit" loading={join.isPending}>
          {t('join.submit')}
        </Button>
      </Stack>
    </form>
  );
}
