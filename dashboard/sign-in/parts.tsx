import { Button, Divider } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { AdminError } from '../api/admin-error.ts';
import { adminUrl } from '../api/call-admin.ts';
import { ErrorAlert } from '../shared/page.tsx';

interface ProviderButtonProps {
  /** The page to return to. */
  readonly returnTo: string;
}

/** Leads to the identity provider; not a request of the page, which must leave for it. */
export function ProviderButton({ returnTo }: ProviderButtonProps) {
  const { t } = useTranslation('signIn');
  return (
    <>
      <Divider label={t('or')} />
      <Button
        component="a"
        href={adminUrl('GET /session/oidc', { return_to: returnTo })}
        variant="default"
      >
        {t('provider')}
      </Button>
    </>
  );
}

interface SignInErrorProps {
  readonly error: Error;
  /** What to say of a wrong password. */
  readonly wrong: string;
}

/** What people get wrong, in their own language; all else in the words of the gateway. */
export function SignInError({ error, wrong }: SignInErrorProps) {
  const { t } = useTranslation('signIn');
  const status = error instanceof AdminError ? error.status : 0;
  const own = status === 401 ? wrong : status === 429 ? t('tooMany') : undefined;
  return <ErrorAlert error={own === undefined ? error : new Error(own)} />;
}

/** Goes to a page as the person who has just signed in. */
export function useSignedIn(): (page: string) => Promise<void> {
  const router = useRouter();
  const queries = useQueryClient();
  return async (page) => {
    // Nothing that another person saw on this device may remain.
    queries.clear();
    await router.invalidate();
    router.history.push(page);
  };
}
