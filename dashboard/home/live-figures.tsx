import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { AdminAnswer } from '../api/admin-types.ts';
import { useCategoryName } from '../catalogue/use-category-name.ts';
import { useFormat } from '../shared/use-format.ts';
import classes from './home-page.module.css';

export interface LiveFiguresProps {
  /** Undefined while it is loaded. */
  readonly home: AdminAnswer<'GET /home'> | undefined;
}

/** What this gateway offers right now. */
export function LiveFigures({ home }: LiveFiguresProps) {
  const { t } = useTranslation('home');
  const { count } = useFormat();
  const nameOf = useCategoryName();
  if (!home) return <Skeleton height={64} mt="xl" />;
  const figures = [
    { label: t('figures.tools'), value: home.tools },
    { label: t('figures.apis'), value: home.servers },
    ...home.categories.map(({ name, tools }) => ({ label: nameOf(name), value: tools })),
  ];
  return (
    <dl className={classes.figures}>
      {figures.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{count(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
