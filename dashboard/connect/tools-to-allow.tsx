import { Checkbox, Input, MultiSelect, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useCategoryName } from '../shared/category-name.ts';
import { ErrorAlert } from '../shared/page.tsx';
import { groupsOf, toolChoicesQuery } from '../shared/tool-choices.ts';

interface ToolsToAllowProps {
  readonly tenant: string;
  /** Null = all tools. */
  readonly value: string[] | null;
  readonly onChange: (value: string[] | null) => void;
}

/** Chooses what a program may use: everything, categories, or individual tools. */
export function ToolsToAllow({ tenant, value, onChange }: ToolsToAllowProps) {
  const { t } = useTranslation('connect');
  const nameOf = useCategoryName();
  const label = useId();
  const { data, error, refetch } = useQuery(toolChoicesQuery(tenant));
  const chosen = value ?? [];
  const categories = data?.categories ?? [];
  const isCategory = (entry: string): boolean => entry.startsWith('category:');
  const toggle = (pattern: string, isOn: boolean): void =>
    onChange(isOn ? [...chosen, pattern] : chosen.filter((entry) => entry !== pattern));
  return (
    <Input.Wrapper label={t('tools.label')} labelElement="div" labelProps={{ id: label }}>
      <Stack gap="sm" mt={6} role="group" aria-labelledby={label}>
        <Checkbox
          label={t('tools.all')}
          description={t('tools.allHint')}
          checked={value === null}
          onChange={(event) => onChange(event.currentTarget.checked ? null : [])}
        />
        {error && <ErrorAlert error={error} onRetry={refetch} />}
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" ml="xl">
          {categories.map(({ name, tools, pattern }) => (
            <Checkbox
              key={pattern}
              label={`${nameOf(name)} (${tools})`}
              checked={chosen.includes(pattern)}
              onChange={(event) => toggle(pattern, event.currentTarget.checked)}
            />
          ))}
        </SimpleGrid>
        <MultiSelect
          ml="xl"
          label={t('tools.single')}
          placeholder={t('tools.pick')}
          data={groupsOf(data?.tools ?? [], nameOf)}
          value={chosen.filter((entry) => !isCategory(entry))}
          onChange={(picks) => {
            const rest = chosen.filter(isCategory);
            onChange(value === null && picks.length === 0 ? null : [...rest, ...picks]);
          }}
          searchable
          limit={100}
          nothingFoundMessage={t('tools.nothingFound')}
          error={value?.length === 0 ? t('tools.none') : undefined}
        />
      </Stack>
    </Input.Wrapper>
  );
}
