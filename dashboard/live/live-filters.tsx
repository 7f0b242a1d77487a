import { Select, SimpleGrid, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { NamesData } from '../audit/audit-queries.ts';
import type { LiveFilter } from './live-feed.ts';

interface LiveFiltersProps {
  readonly filter: LiveFilter;
  readonly names: NamesData | undefined;
  readonly onChange: (filter: LiveFilter) => void;
}

const OUTCOMES = ['ok', 'upstream_error', 'error'] as const;
const MAX_OPTIONS = 100;

/** Which of the calls are shown. */
export function LiveFilters({ filter, names, onChange }: LiveFiltersProps) {
  const { t } = useTranslation('live');
  const { t: audit } = useTranslation('audit');
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
      <TextInput
        label={audit('filter.tool')}
        placeholder={t('toolContains')}
        maxLength={200}
        value={filter.tool}
        onChange={({ currentTarget: { value } }) => onChange({ ...filter, tool: value })}
      />
      <Select
        label={audit('filter.status')}
        placeholder={audit('filter.any')}
        clearable
        value={filter.outcome}
        data={OUTCOMES.map((value) => ({ value, label: audit(`outcome.${value}`) }))}
        onChange={(outcome) => onChange({ ...filter, outcome })}
      />
      <Select
        label={audit('filter.key')}
        placeholder={audit('filter.any')}
        clearable
        searchable
        limit={MAX_OPTIONS}
        value={filter.key}
        data={(names?.keys ?? []).map(({ id, name, prefix }) => ({
          value: id,
          label: `${name || id} (${prefix}…)`,
        }))}
        onChange={(key) => onChange({ ...filter, key })}
      />
    </SimpleGrid>
  );
}
