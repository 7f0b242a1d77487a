import {
  Button,
  Collapse,
  Group,
  Select,
  type SelectProps,
  SimpleGrid,
  Stack,
  TextInput,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAdjustments, IconFilterOff } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { icon } from '../shared/buttons.tsx';
import { FAILURE_ORIGINS, type Origin, useCauseName, useOriginName } from '../shared/outcome.tsx';
import { fromLocal, toLocal } from '../shared/use-format.ts';
import type { NamesData } from './audit-queries.ts';
import {
  type AuditSearch,
  CACHE_STATUSES,
  causesOf,
  DEFAULT_SPAN,
  FILTERS,
  type FilterName,
  isFiltered,
  outcomeIn,
  SPANS,
  UPSTREAM_CLASSES,
  withOutcome,
} from './audit-search.ts';

export interface AuditFiltersProps {
  readonly search: AuditSearch;
  readonly names: NamesData | undefined;
  readonly change: (members: Partial<Record<keyof AuditSearch, string | undefined>>) => void;
}

/** Filters that are shown on demand. */
const RARE_FILTERS = ['upstream', 'upstreamStatus', 'cacheStatus', 'error', 'requestId'] as const;

const GRID = { minColWidth: '9rem', spacing: 'sm' } as const;

/** More options would make the list slow; typing narrows it. */
const MAX_OPTIONS = 100;

/** The filters of the audit log. Each change is one of the address. */
export function AuditFilters({ search, names, change }: AuditFiltersProps) {
  const { t } = useTranslation('audit');
  const [isOpen, { toggle }] = useDisclosure(
    RARE_FILTERS.some((name) => search[name] !== undefined),
  );
  const choice = (name: Exclude<FilterName, 'origin'>) => ({
    label: t(`filter.${name}`),
    value: search[name] ?? null,
    onChange: (value: string | null) => change({ [name]: value ?? undefined }),
  });
  return (
    <Stack component="section" gap="xs" aria-label={t('filter.label')}>
      <SimpleGrid {...GRID}>
        <Span search={search} change={change} />
        <Choice
          {...choice('tool')}
          data={withChosen(names?.tools ?? [], search.tool)}
          searchable
          limit={MAX_OPTIONS}
        />
        <EndingFilters search={search} change={change} />
        <Choice
          {...choice('key')}
          data={keyChoices(names, search.key)}
          searchable
          limit={MAX_OPTIONS}
        />
        <TypedFilter name="client" maxLength={100} search={search} change={change} />
      </SimpleGrid>
      <Collapse expanded={isOpen}>
        <SimpleGrid {...GRID}>
          <Choice
            {...choice('upstream')}
            data={withChosen(names?.upstreams ?? [], search.upstream)}
            searchable
            limit={MAX_OPTIONS}
          />
          <Choice {...choice('upstreamStatus')} data={[...UPSTREAM_CLASSES]} />
          <Choice {...choice('cacheStatus')} data={[...CACHE_STATUSES]} />
          {search.error && <Choice {...choice('error')} data={[search.error]} />}
          <TypedFilter name="requestId" maxLength={200} search={search} change={change} />
        </SimpleGrid>
        {/* A time with seconds is longer than half a telephone. */}
        <SimpleGrid {...GRID} minColWidth="13rem" mt="sm">
          <TimeFields search={search} change={change} />
        </SimpleGrid>
      </Collapse>
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          onClick={toggle}
          aria-expanded={isOpen}
          leftSection={icon(IconAdjustments)}
        >
          {t(isOpen ? 'filter.less' : 'filter.more')}
        </Button>
        {(isFiltered(search) || search.from || search.to) && (
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={() =>
              change(
                Object.fromEntries([...FILTERS, 'from', 'to'].map((name) => [name, undefined])),
              )
            }
            leftSection={icon(IconFilterOff)}
          >
            {t('filter.clear')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

/** What calls came to, and why. Programs may have linked to an outcome that is not offered. */
function EndingFilters({ search, change }: Pick<AuditFiltersProps, 'search' | 'change'>) {
  const { t } = useTranslation('audit');
  const outcomes = useOutcomeChoices();
  const nameOf = useCauseName();
  const { status, cause } = search;
  const outcome = outcomeIn(search);
  const linked =
    status === undefined || status === 'ok'
      ? []
      : [{ value: status, label: t(`status.${status}`) }];
  return (
    <>
      <Choice
        label={t('filter.status')}
        value={outcome ?? null}
        data={[...outcomes, ...linked]}
        onChange={(value) => change(withOutcome(value ?? undefined, search))}
      />
      <Choice
        label={t('filter.cause')}
        value={cause ?? null}
        data={withChosen(causesOf(outcome), cause).map((value) => ({
          value,
          label: nameOf(value),
        }))}
        onChange={(value) => change({ cause: value ?? undefined })}
      />
    </>
  );
}

/** A choice whose empty state means any value. */
function Choice(props: SelectProps<string>) {
  const { t } = useTranslation('audit');
  return (
    <Select
      size="sm"
      placeholder={t('filter.any')}
      clearable
      maxDropdownHeight={320}
      nothingFoundMessage={t('filter.none')}
      {...props}
    />
  );
}

function Span({ search, change }: Pick<AuditFiltersProps, 'search' | 'change'>) {
  const { t } = useTranslation('audit');
  const isExact = search.from !== undefined || search.to !== undefined;
  const data = SPANS.map((value) => ({ value: String(value), label: t(`span.${value}`) }));
  return (
    <Select
      size="sm"
      label={t('filter.span')}
      allowDeselect={false}
      value={isExact ? 'exact' : (search.last ?? DEFAULT_SPAN)}
      data={isExact ? [{ value: 'exact', label: t('span.exact') }, ...data] : data}
      onChange={(value) =>
        value !== 'exact' && change({ last: value ?? undefined, from: undefined, to: undefined })
      }
    />
  );
}

interface TypedFilterProps extends Pick<AuditFiltersProps, 'search' | 'change'> {
  readonly name: 'client' | 'requestId';
  readonly maxLength: number;
}

/** A text that counts when it is complete: on Enter, or when the field is left. */
function TypedFilter({ name, maxLength, search, change }: TypedFilterProps) {
  const { t } = useTranslation('audit');
  const given = search[name] ?? '';
  const [text, setText] = useState(given);
  useEffect(() => setText(given), [given]);
  const apply = () => text.trim() !== given && change({ [name]: text.trim() || undefined });
  return (
    <TextInput
      size="sm"
      label={t(`filter.${name}`)}
      placeholder={t('filter.any')}
      maxLength={maxLength}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
    />
  );
}

/** What a call may have come to, for a choice: `ok`, and the values of the filter `origin`. */
export function useOutcomeChoices() {
  const { t } = useTranslation('shared');
  const nameOf = useOriginName();
  const choice = (value: Origin) => ({ value, label: nameOf(value) });
  return [
    choice('ok'),
    { value: 'failed', label: t('outcome.failed') },
    { group: t('outcome.by'), items: FAILURE_ORIGINS.map(choice) },
  ];
}

/** A link may name what is not in the list, such as a tool that was deleted. */
const withChosen = <Value extends string>(
  values: readonly Value[],
  chosen: Value | undefined,
): Value[] => [...new Set([...values, ...(chosen === undefined ? [] : [chosen])])];

/** API keys, and the people who called. */
export function keyChoices(names: NamesData | undefined, chosen: string | undefined) {
  const keys = (names?.keys ?? []).map(({ id, name, prefix }) => ({
    value: id,
    label: `${name || id} (${prefix}…)`,
  }));
  const people = (names?.people ?? []).map(({ id, name }) => ({ value: id, label: name || id }));
  const choices = [...keys, ...people];
  const isKnown = chosen === undefined || choices.some(({ value }) => value === chosen);
  return isKnown ? choices : [...choices, { value: chosen, label: chosen }];
}

interface TimeFieldsProps {
  readonly search: AuditSearch;
  readonly change: (members: { from?: string | undefined; to?: string | undefined }) => void;
}

/** Exact ends of the time, in the reader's time zone. */
function TimeFields({ search, change }: TimeFieldsProps) {
  const { t } = useTranslation('audit');
  return (['from', 'to'] as const).map((name) => (
    <TextInput
      key={name}
      size="sm"
      type="datetime-local"
      step={1}
      label={t(`filter.${name}`)}
      value={toLocal(search[name], 'seconds')}
      onChange={(event) => change({ [name]: fromLocal(event.currentTarget.value) })}
    />
  ));
}
