import { Button, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { IconMailOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { AdminError } from '../api/admin-error.ts';
import { callAdmin } from '../api/call-admin.ts';
import { EmptyState } from '../shared/empty-state.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { PageHeader } from '../shared/page-header.tsx';
import { type Invitation, JoinForm } from './join-form.tsx';
import { ProviderButton } from './provider-button.tsx';
import classes from './sign-in-page.module.css';

/** What the link of an invitation leads to. */
export function JoinPage() {
  const { token } = useSearch({ from: '/admin/join' });
  const { data, error, refetch } = useQuery({
    queryKey: ['join', token],
    queryFn: ({ signal }) => callAdmin('GET /join', { token }, { signal }),
    enabled: token !== '',
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isUnusable =
    token === '' || (error instanceof AdminError && error.status < 500 && error.status > 0);
  return (
    <div className={classes.root}>
      {isUnusable && <Unusable />}
      {!isUnusable && error && <ErrorAlert error={error} onRetry={refetch} />}
      {!data && !error && !isUnusable && <Skeleton height={320} />}
      {data && <Joining invitation={data} token={token} />}
    </div>
  );
}

function Joining({ invitation, token }: { invitation: Invitation; token: string }) {
  const { t } = useTranslation('signIn');
  const { tenant, role, hasAccount, isSignedIn, hasOidc, email } = invitation;
  const kind = isSignedIn ? 'signedInText' : hasAccount ? 'accountText' : 'newText';
  return (
    <>
      <PageHeader
        title={t('join.title', { tenant: tenant.name })}
        description={t('join.description', { role: t(`join.role.${role}`) })}
      />
      <Paper withBorder p="lg" radius="lg">
        <Stack>
          <Text size="sm">{t(`join.${kind}`, { email })}</Text>
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
        title={t('join.invalidTitle')}
        text={t('join.invalidText')}
        action={
          <Button component={Link} to="/admin/sign-in" variant="default">
            {t('join.toSignIn')}
          </Button>
        }
      />
    </>
  );
}
