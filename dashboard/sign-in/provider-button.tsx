import { Button, Divider } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { adminUrl } from '../api/call-admin.ts';

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
