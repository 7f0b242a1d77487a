import { Anchor, Breadcrumbs } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

/** The link above the heading of a page below the list. */
export function Crumb({
  to = '/admin/apis',
}: {
  to?: '/admin/apis' | '/admin/settings/approvals';
}) {
  const { t } = useTranslation('apis');
  return (
    <Breadcrumbs mb={4} component="nav" aria-label={t('crumbs')}>
      <Anchor size="sm" renderRoot={(props) => <Link to={to} {...props} />}>
        {t(to === '/admin/apis' ? 'title' : 'approvals.title')}
      </Anchor>
    </Breadcrumbs>
  );
}
