import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { PageHeader } from '../shared/page-header.tsx';
import { PasswordForm } from './password-form.tsx';
import { ProfileForm } from './profile-form.tsx';
import { SessionList } from './session-list.tsx';

/** What a person may change about itself. */
export function AccountPage() {
  const { t } = useTranslation('people');
  return (
    <>
      <PageHeader title={t('account.title')} description={t('account.description')} />
      <Stack gap="lg" maw="56rem">
        <ProfileForm />
        <PasswordForm />
        <SessionList />
      </Stack>
    </>
  );
}
