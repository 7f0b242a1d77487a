import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './page-header.module.css';
import { useHeadingFocus } from './use-heading-focus.ts';

export interface PageHeaderProps {
  /** Also the title of the document. */
  readonly title: string;
  readonly description?: ReactNode;
  /** Links above the title that lead to where this page belongs. */
  readonly breadcrumbs?: ReactNode;
  /** Beside the title, such as a badge. */
  readonly aside?: ReactNode;
  /** Buttons for what can be done on this page. */
  readonly actions?: ReactNode;
}

/** The head of every page. Its heading receives the focus when the page has been navigated to. */
export function PageHeader({ title, description, breadcrumbs, aside, actions }: PageHeaderProps) {
  const { t } = useTranslation();
  const heading = useHeadingFocus();
  const product = t('product');
  return (
    <header className={classes.root}>
      <title>{title === product ? product : `${title} · ${product}`}</title>
      {breadcrumbs}
      <div className={classes.row}>
        <Group gap="sm" className={classes.title}>
          <Title order={1} ref={heading} tabIndex={-1}>
            {title}
          </Title>
          {aside}
        </Group>
        {actions && <Group gap="xs">{actions}</Group>}
      </div>
      {description && (
        <Text c="dimmed" className={classes.description} component="div">
          {description}
        </Text>
      )}
    </header>
  );
}
