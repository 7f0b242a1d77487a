import { Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useTenant } from '../app/tenant-in-use.ts';
import { useFormat } from '../shared/use-format.ts';
import classes from './hygiene-filters.module.css';
import { hygieneQuery } from './key-queries.ts';
import { KEY_CONCERNS, type KeyConcern } from './key-search.ts';

export interface HygieneFiltersProps {
  readonly concern: KeyConcern | undefined;
  readonly onChange: (concern: KeyConcern | undefined) => void;
}

/** How many active keys are laxer than they might be; each number filters the list. Nothing without keys. */
export function HygieneFilters({ concern, onChange }: HygieneFiltersProps) {
  const { t } = useTranslation('keys');
  const format = useFormat();
  const { data } = useQuery(hygieneQuery(useTenant().slug));
  if (!data || data.active === 0) return null;
  return (
    <section aria-label={t('hygiene.label')}>
      <Text size="sm" c="dimmed" mb={6}>
        {t('hygiene.among', { count: data.active, formatted: format.count(data.active) })}
      </Text>
      <div className={classes.root}>
        {KEY_CONCERNS.map((each) => (
          <UnstyledButton
            key={each}
            className={classes.filter}
            aria-pressed={concern === each}
            data-clean={data[each] === 0 || undefined}
            onClick={() => onChange(concern === each ? undefined : each)}
          >
            <span className={classes.count}>{format.count(data[each])}</span>
            <Text size="xs" component="span">
              {t(`hygiene.${each}`)}
            </Text>
          </UnstyledButton>
        ))}
      </div>
    </section>
  );
}
