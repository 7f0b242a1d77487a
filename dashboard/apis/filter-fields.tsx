import { Autocomplete, Button, Group, Pill, Select, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { icon } from '../shared/buttons.tsx';
import { Hint } from '../shared/page.tsx';
import type { Filter } from './api-form.ts';
import type { Report } from './queries.ts';

const KINDS = ['tag', 'method', 'path', 'operationId'] as const;
type Kind = (typeof KINDS)[number];

/** As the gateway allows them. */
const MAX_FILTERS = 100;
const MAX_SUGGESTIONS = 20;

interface OperationFieldsProps {
  readonly include: readonly Filter[];
  readonly exclude: readonly Filter[];
  readonly change: (changed: {
    readonly include?: readonly Filter[];
    readonly exclude?: readonly Filter[];
  }) => void;
  /** The report whose operations are to choose from. */
  readonly report: Report | null | undefined;
}

/** Which operations become tools. */
export function OperationFields({ include, exclude, change, report }: OperationFieldsProps) {
  const { t } = useTranslation('apis');
  return (
    <>
      <FilterFields
        label={t('filters.include')}
        hint={t('filters.includeHint')}
        filters={include}
        onChange={(filters) => change({ include: filters })}
        report={report}
      />
      <FilterFields
        label={t('filters.exclude')}
        filters={exclude}
        onChange={(filters) => change({ exclude: filters })}
        report={report}
      />
    </>
  );
}

interface FilterFieldsProps extends Pick<OperationFieldsProps, 'report'> {
  readonly label: string;
  readonly hint?: string;
  readonly filters: readonly Filter[];
  readonly onChange: (filters: readonly Filter[]) => void;
}

/** Entries of `include` or `exclude`. Each has one member here; one with several is shown as it is. */
function FilterFields({ label, hint, filters, onChange, report }: FilterFieldsProps) {
  const { t } = useTranslation('apis');
  const [kind, setKind] = useState<Kind>('path');
  const [value, setValue] = useState('');
  const add = (): void => {
    if (!value.trim() || filters.length >= MAX_FILTERS) return;
    onChange([...filters, { [kind]: value.trim() }]);
    setValue('');
  };
  return (
    <Stack gap={6} component="fieldset" bd={0} p={0} m={0}>
      <Text component="legend" size="sm" fw={500} p={0}>
        {label}
      </Text>
      {filters.length === 0 && hint && <Hint size="xs">{hint}</Hint>}
      <Pill.Group>
        {filters.map((filter, at) => (
          <Pill
            // biome-ignore lint/suspicious/noArrayIndexKey: two filters may be equal.
            key={at}
            withRemoveButton
            onRemove={() => onChange(filters.filter((_, other) => other !== at))}
            removeButtonProps={{
              'aria-label': t('filters.remove', { filter: textOf(filter) }),
              tabIndex: 0,
              'aria-hidden': false,
            }}
          >
            {textOf(filter)}
          </Pill>
        ))}
      </Pill.Group>
      <Group gap="xs" align="end" wrap="wrap">
        <Select
          w={150}
          aria-label={t('filters.by')}
          data={KINDS.map((each) => ({ value: each, label: t(`filters.${each}`) }))}
          value={kind}
          onChange={(chosen) => chosen && setKind(chosen as Kind)}
          allowDeselect={false}
        />
        <Autocomplete
          flex={1}
          miw={160}
          aria-label={t('filters.value')}
          placeholder={kind === 'path' ? '/books/*' : undefined}
          data={suggestionsOf(kind, report)}
          limit={MAX_SUGGESTIONS}
          value={value}
          onChange={setValue}
          maxLength={500}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            add();
          }}
        />
        <Button
          variant="default"
          onClick={add}
          disabled={!value.trim()}
          leftSection={icon(IconPlus)}
        >
          {t('filters.add')}
        </Button>
      </Group>
    </Stack>
  );
}

const textOf = (filter: Filter): string =>
  Object.entries(filter)
    .map(([member, value]) => `${member}: ${value}`)
    .join(', ');

function suggestionsOf(kind: Kind, report: FilterFieldsProps['report']): string[] {
  // Reports of older versions have no tags.
  if (kind === 'tag') return [...(report?.tags ?? [])];
  return [...new Set(report?.operations.flatMap((operation) => operation[kind] ?? []))];
}
