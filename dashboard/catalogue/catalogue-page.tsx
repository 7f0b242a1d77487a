import { Button, Center, Group, Stack, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch, IconSearchOff } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePerson, useTenantInUse } from '../session/session.ts';
import { useCategoryName } from '../shared/category-name.ts';
import { FilterChip } from '../shared/filter-chip.tsx';
import { EmptyState, ErrorAlert, Hint, PageHeader } from '../shared/page.tsx';
import { toolsQuery } from './catalogue-queries.ts';
import { type CatalogueSearch, readFilters, STATES } from './catalogue-search.ts';
import { ToolGrid } from './tool-grid.tsx';

/** All tools that one may see, by category and by search. */
export function CataloguePage() {
  const { t } = useTranslation('catalogue');
  const filters = readFilters({ ...useSearch({ from: '/admin/catalogue' }) });
  const tenant = useTenantInUse()?.slug ?? null;
  const found = useInfiniteQuery(toolsQuery(tenant, filters));
  const pages = found.data?.pages;
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <CatalogueFilters filters={filters} categories={pages?.[0]?.categories} />
      {found.error ? (
        <ErrorAlert error={found.error} onRetry={found.refetch} />
      ) : (
        <Stack>
          <Hint role="status">
            {pages?.[0] ? t('count', { count: pages[0].total }) : t('loading')}
          </Hint>
          <ToolGrid
            tools={pages?.flatMap(({ tools }) => tools)}
            isRanked={filters.q !== undefined}
            empty={<NothingFound filters={filters} />}
          />
          {found.hasNextPage && (
            <Center>
              <Button
                variant="default"
                onClick={() => found.fetchNextPage()}
                loading={found.isFetchingNextPage}
              >
                {t('more')}
              </Button>
            </Center>
          )}
        </Stack>
      )}
    </>
  );
}

function NothingFound({ filters }: { readonly filters: CatalogueSearch }) {
  const { t } = useTranslation('catalogue');
  const navigate = useNavigate();
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <EmptyState
      icon={IconSearchOff}
      title={t('empty.title')}
      text={isFiltered ? t('empty.text') : undefined}
      action={
        isFiltered && (
          <Button variant="light" onClick={() => navigate({ to: '/admin/catalogue' })}>
            {t('empty.reset')}
          </Button>
        )
      }
    />
  );
}

const DEBOUNCE_MS = 250;
const MAX_WORDS = 200;

interface CatalogueFiltersProps {
  readonly filters: CatalogueSearch;
  /** The categories of the tools that match the words; undefined while they are loaded. */
  readonly categories: readonly { readonly name: string; readonly tools: number }[] | undefined;
}

/** Words, category and source. Each change is in the address, so that Back undoes it. */
function CatalogueFilters({ filters, categories }: CatalogueFiltersProps) {
  const nameOf = useCategoryName();
  const { t } = useTranslation('catalogue');
  const change = useChange(filters);
  const all = categories?.reduce((sum, { tools }) => sum + tools, 0);
  return (
    <Stack component="search" gap="sm" mb="md">
      <WordsInput words={filters.q ?? ''} onChange={(q) => change({ q: q || undefined })} />
      <Group gap="xs">
        <FilterChip
          label={t('all')}
          count={all}
          isOn={filters.category === undefined}
          onClick={() => change({ category: undefined })}
        />
        {withChosen(categories ?? [], filters.category).map(({ name, tools }) => (
          <FilterChip
            key={name}
            label={nameOf(name)}
            count={tools}
            isOn={filters.category === name}
            onClick={() => change({ category: name })}
          />
        ))}
        <SourceChip filters={filters} onChange={change} />
      </Group>
      <Group gap="xs">
        <StateChips filters={filters} onChange={change} />
      </Group>
    </Stack>
  );
}

type Categories = readonly { readonly name: string; readonly tools: number }[];

/** The chosen category stays even if no tool in it matches the words. */
const withChosen = (categories: Categories, chosen: string | undefined): Categories =>
  chosen === undefined || categories.some(({ name }) => name === chosen)
    ? categories
    : [...categories, { name: chosen, tools: 0 }];

type Change = { readonly [Name in keyof CatalogueSearch]?: CatalogueSearch[Name] | undefined };

function useChange(filters: CatalogueSearch): (change: Change) => void {
  const navigate = useNavigate();
  return (change) => {
    const next = Object.entries({ ...filters, ...change }).filter(
      ([, value]) => value !== undefined,
    );
    void navigate({
      to: '/admin/catalogue',
      search: Object.fromEntries(next),
      replace: 'q' in change,
      resetScroll: false,
    });
  };
}

function WordsInput({ words, onChange }: { words: string; onChange: (words: string) => void }) {
  const { t } = useTranslation('catalogue');
  const [text, setText] = useState(words);
  const submit = useDebouncedCallback(onChange, DEBOUNCE_MS);
  // Back, or a link, changes the address without this field.
  useEffect(() => setText(words), [words]);
  return (
    <TextInput
      maw="40rem"
      size="md"
      type="search"
      value={text}
      maxLength={MAX_WORDS}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        submit(value.trim());
      }}
      placeholder={t('searchPlaceholder')}
      aria-label={t('searchLabel')}
      leftSection={<IconSearch size={18} stroke={1.6} aria-hidden />}
    />
  );
}

interface SourceChipProps {
  readonly filters: CatalogueSearch;
  readonly onChange: (change: Change) => void;
}

/** Visitors see presets only. */
function SourceChip({ filters: { source }, onChange }: SourceChipProps) {
  const { t } = useTranslation('catalogue');
  const person = usePerson();
  const isOn = source === 'registered';
  if (!person) return null;
  return (
    <FilterChip
      label={t('own')}
      isOn={isOn}
      onClick={() => onChange({ source: isOn ? undefined : 'registered' })}
    />
  );
}

/** Only a tenant has keys and calls. */
function StateChips({ filters: { state }, onChange }: SourceChipProps) {
  const { t } = useTranslation('catalogue');
  if (!useTenantInUse()) return null;
  return STATES.map((each) => (
    <FilterChip
      key={each}
      label={t(`state.${each}`)}
      isOn={state === each}
      onClick={() => onChange({ state: state === each ? undefined : each })}
    />
  ));
}
