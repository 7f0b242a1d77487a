import { Button } from '@mantine/core';
import { IconError404 } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../shared/empty-state.tsx';
import { PageHeader } from '../shared/page-header.tsx';

/** For an address without a page, and for a page whose subject has been deleted. */
export function NotFoundPage() {
  const { t } = useTranslation();
  return (
    <>
      <PageHeader title={t('notFound.title')} />
      <EmptyState
        icon={IconError404}
        title={t('notFound.text')}
        action={
          <Button component={Link} to="/admin" variant="light">
            {t('notFound.back')}
          </Button>
        }
      />
    </>
  );
}
