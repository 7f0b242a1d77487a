import { Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { LinkAnchor } from '../shared/link-anchor.tsx';
import { useCategoryName } from './use-category-name.ts';

/** Leads from a tool to its category. */
export function ToolBreadcrumbs({ category }: { readonly category: string }) {
  const { t } = useTranslation('catalogue');
  const nameOf = useCategoryName();
  return (
    <Group component="nav" gap={6} aria-label={t('tool.breadcrumbs')} mb={4}>
      <LinkAnchor to="/admin/catalogue" size="sm">
        {t('title')}
      </LinkAnchor>
      <span aria-hidden>/</span>
      <LinkAnchor to="/admin/catalogue" search={{ category }} size="sm">
        {nameOf(category)}
      </LinkAnchor>
    </Group>
  );
}
