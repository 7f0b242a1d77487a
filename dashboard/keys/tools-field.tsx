import {
  Chip,
  Group,
  Input,
  MultiSelect,
  SegmentedControl,
  Stack,
  TagsInput,
  Text,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useTenant } from '../session/session.ts';
import { useCategoryName } from '../shared/category-name.ts';
import { ErrorAlert } from '../shared/page.tsx';
import { groupsOf, type ToolChoices, toolChoicesQuery } from '../shared/tool-choices.ts';
import { useFormat } from '../shared/use-format.ts';
import { type ChosenTools, joinTools, splitTools } from './key-form.ts';
import { previewQuery } from './key-queries.ts';

export interface ToolsFieldProps {
  /** Null = all tools. */
  readonly value: string[] | null;
  readonly onChange: (value: string[] | null) => void;
}

/** Chooses the tools of a key by category, by pattern and one by one, and counts them. */
export function ToolsField({ value, onChange }: ToolsFieldProps) {
  const { t } = useTranslation('keys');
  const label = useId();
  return (
    <Input.Wrapper label={t('tools.label')} labelElement="div" labelProps={{ id: label }}>
      <Stack gap="sm" mt={4}>
        <SegmentedControl
          fullWidth
          aria-labelledby={label}
          value={value === null ? 'all' : 'some'}
          onChange={(mode) => onChange(mode === 'all' ? null : [])}
          data={[
            { value: 'all', label: t('tools.all') },
            { value: 'some', label: t('tools.some') },
          ]}
        />
        {value !== null && <ToolChoice value={value} onChange={onChange} />}
        <ToolCount value={value} />
      </Stack>
    </Input.Wrapper>
  );
}

function ToolChoice({ value, onChange }: { value: string[]; onChange: (value: string[]) => void }) {
  const { t } = useTranslation('keys');
  const choices = useQuery(toolChoicesQuery(useTenant().slug));
  const nameOf = useCategoryName();
  if (choices.error) return <ErrorAlert error={choices.error} onRetry={choices.refetch} />;
  const tools = choices.data?.tools ?? [];
  const chosen = splitTools(value, tools);
  const change = (part: Partial<ChosenTools>) => onChange(joinTools({ ...chosen, ...part }));
  return (
    <Stack gap="sm" p="sm" bg="var(--page-sunken)" bd="1px solid var(--page-line)" bdrs="md">
      <Categories
        categories={choices.data?.categories ?? []}
        value={[...chosen.categories]}
        onChange={(categories) => change({ categories })}
      />
      <TagsInput
        label={t('tools.patterns')}
        description={t('tools.patternsHint')}
        placeholder="kma_*"
        value={[...chosen.patterns]}
        onChange={(patterns) => change({ patterns })}
        splitChars={[',', ' ']}
        maxTags={200}
        acceptValueOnBlur
      />
      <MultiSelect
        label={t('tools.picks')}
        placeholder={chosen.picks.length === 0 ? t('tools.pick') : ''}
        data={groupsOf(tools, nameOf)}
        value={[...chosen.picks]}
        onChange={(picks) => change({ picks })}
        searchable
        limit={100}
        nothingFoundMessage={t('tools.nothingFound')}
      />
    </Stack>
  );
}

interface CategoriesProps {
  readonly categories: ToolChoices['categories'];
  readonly value: string[];
  readonly onChange: (value: string[]) => void;
}

function Categories({ categories, value, onChange }: CategoriesProps) {
  const { t } = useTranslation('keys');
  const nameOf = useCategoryName();
  const label = useId();
  return (
    <Input.Wrapper label={t('tools.categories')} labelElement="div" labelProps={{ id: label }}>
      <Chip.Group multiple value={value} onChange={onChange}>
        <Group gap={6} mt={4} role="group" aria-labelledby={label}>
          {categories.map(({ name, pattern, tools }) => (
            <Chip key={pattern} value={pattern} size="xs" variant="outline">
              {nameOf(name)} ({tools})
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </Input.Wrapper>
  );
}

function ToolCount({ value }: Pick<ToolsFieldProps, 'value'>) {
  const { t } = useTranslation('keys');
  const format = useFormat();
  const [settled] = useDebouncedValue(value, 250);
  const { data } = useQuery(previewQuery(useTenant().slug, settled));
  const count = data?.total ?? 0;
  const shown = data?.names.slice(0, 8).join(', ') ?? '';
  const rest = count - 8;
  return (
    <Text size="sm" c={data && count === 0 ? 'var(--outcome-gateway)' : 'dimmed'} role="status">
      {data
        ? `${t('tools.count', { count, formatted: format.count(count) })}${value === null || count === 0 ? '' : `: ${shown}${rest > 0 ? ` +${format.count(rest)}` : ''}`}`
        : t('tools.counting')}
    </Text>
  );
}
