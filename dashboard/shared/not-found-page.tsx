import { IconError404 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { LinkButton } from './buttons.tsx';
import { EmptyState, PageHeader } from './page.tsx';

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
          <LinkButton to="/admin" variant="light">
            {t('notFound.back')}
          </LinkButton>
        }
      />
    </>
  );
}
