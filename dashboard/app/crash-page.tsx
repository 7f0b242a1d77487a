import { Button, Stack } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { PageHeader } from '../shared/page-header.tsx';

/** In place of a page that has thrown. */
export function CrashPage({ error }: ErrorComponentProps) {
  const { t } = useTranslation();
  return (
    <Stack align="flex-start">
      <PageHeader title={t('crash.title')} description={t('crash.text')} />
      <ErrorAlert error={error instanceof Error ? error : new Error(String(error))} />
      <Button onClick={() => window.location.reload()}>{t('crash.reload')}</Button>
    </Stack>
  );
}
