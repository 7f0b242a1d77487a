import { Breadcrumbs } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { LinkAnchor } from '../shared/buttons.tsx';

/** The link above the heading of a page below the list. */
export function Crumb() {
  const { t } = useTranslation('apis');
  return (
    <Breadcrumbs mb={4} component="nav" aria-label={t('crumbs')}>
      <LinkAnchor to="/admin/apis" size="sm">
        {t('title')}
      </LinkAnchor>
    </Breadcrumbs>
  );
}
