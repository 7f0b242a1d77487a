import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './key-filters.module.css';
import { KEY_STATES, type KeySearch, readKeySearch } from './key-search.ts';

export interface KeyFiltersProps {
  readonly search: KeySearch;
  readonly onChange: (search: KeySearch) => void;
}

/** Search by name or prefix, and the state. */
export function KeyFilters({ search, onChange }: KeyFiltersProps) {
  const { t } = useTranslation('keys');
  const [text, setText] = useState(search.q ?? '');
  const change = (part: Record<string, unknown>) => onChange(readKeySearch({ ...search, ...part }));
  const searchSoon = useDebouncedCallback((q: string) => change({ q }), 250);
  return (
    <Group gap="xs" role="search">
      <TextInput
        className={classes.text}
        aria-label={t('filters.search')}
        placeholder={t('filters.search')}
        leftSection={<IconSearch size={16} aria-hidden />}
        type="search"
        maxLength={100}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          searchSoon(currentTarget.value);
        }}
      />
      <NativeSelect
        aria-label={t('filters.state')}
        value={search.state ?? ''}
        onChange={({ currentTarget }) => change({ state: currentTarget.value })}
        data={[
          { value: '', label: t('filters.anyState') },
          ...KEY_STATES.map((state) => ({ value: state, label: t(`state.${state}`) })),
        ]}
      />
    </Group>
  );
}
