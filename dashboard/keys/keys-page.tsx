import {
  Button,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconKey, IconPlus, IconSearch, IconSearchOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useTenant } from '../session/session.ts';
import { icon } from '../shared/buttons.tsx';
import { EmptyState, Hint, PageHeader } from '../shared/page.tsx';
import { useFormat } from '../shared/use-format.ts';
import { useOpenForm } from '../shared/use-open-form.ts';
import type { Open } from './key-dialogs.tsx';
import { type KeyAction, KeyList } from './key-list.tsx';
import { type ApiKey, hygieneQuery } from './key-queries.ts';
import {
  KEY_CONCERNS,
  KEY_ORDERS,
  KEY_STATES,
  type KeyConcern,
  type KeySearch,
  readKeySearch,
} from './key-search.ts';
import { OpenKeyDialog } from './open-key-dialog.tsx';

/** The API keys of a tenant: who has them, what they may do, and how they are used. */
export function KeysPage() {
  const { t } = useTranslation('keys');
  const { slug, canChange } = useTenant();
  const search = readKeySearch(useSearch({ strict: false }));
  const { q, state, concern } = search;
  const navigate = useNavigate();
  const { isPending } = useQuery(hygieneQuery(slug));
  const [open, setOpen] = useState<Open | null>(null);
  const onAction = useCallback((action: KeyAction, key: ApiKey) => setOpen({ action, key }), []);
  const isFiltered = q !== undefined || state !== undefined || concern !== undefined;
  const filter = (next: KeySearch) =>
    navigate({ to: '/admin/settings/keys', search: next, replace: true });
  const create = () => setOpen({ action: 'create' });
  useOpenForm('key', create);
  return (
    <Stack>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={
          canChange && (
            <Button leftSection={icon(IconPlus)} onClick={create}>
              {t('create.open')}
            </Button>
          )
        }
      />
      <HygieneFilters
        concern={concern}
        onChange={(next) => filter({ ...search, concern: next } as KeySearch)}
      />
      {/* Shown once the height of what is above is known. */}
      <Stack display={isPending ? 'none' : undefined}>
        <KeyFilters key={slug} search={search} onChange={filter} />
        <KeyList
          search={search}
          onAction={canChange ? onAction : undefined}
          empty={<NoKeys isFiltered={isFiltered} onCreate={canChange ? create : undefined} />}
        />
      </Stack>
      <OpenKeyDialog open={open} onOpen={setOpen} />
    </Stack>
  );
}

interface NoKeysProps {
  readonly isFiltered: boolean;
  readonly onCreate: (() => void) | undefined;
}

function NoKeys({ isFiltered, onCreate }: NoKeysProps) {
  const { t } = useTranslation('keys');
  if (isFiltered) {
    return <EmptyState icon={IconSearchOff} title={t('empty.filtered')} />;
  }
  return (
    <EmptyState
      icon={IconKey}
      title={t('empty.title')}
      text={onCreate ? t('empty.text') : t('empty.askAdmin')}
      action={onCreate && <Button onClick={onCreate}>{t('empty.create')}</Button>}
    />
  );
}

interface KeyFiltersProps {
  readonly search: KeySearch;
  readonly onChange: (search: KeySearch) => void;
}

/** Search by name or prefix, the state, and the order. */
function KeyFilters({ search, onChange }: KeyFiltersProps) {
  const { t } = useTranslation('keys');
  const [text, setText] = useState(search.q ?? '');
  const change = (part: Record<string, unknown>) => onChange(readKeySearch({ ...search, ...part }));
  const searchSoon = useDebouncedCallback((q: string) => change({ q }), 250);
  return (
    <Group gap="xs" role="search">
      <TextInput
        flex={1}
        miw="12rem"
        maw="24rem"
        aria-label={t('filters.search')}
        placeholder={t('filters.search')}
        leftSection={icon(IconSearch)}
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
      <NativeSelect
        aria-label={t('order.label')}
        value={search.order ?? ''}
        onChange={({ currentTarget }) => change({ order: currentTarget.value })}
        data={[
          { value: '', label: t('order.created') },
          ...KEY_ORDERS.map((order) => ({ value: order, label: t(`order.${order}`) })),
        ]}
      />
    </Group>
  );
}

interface HygieneFiltersProps {
  readonly concern: KeyConcern | undefined;
  readonly onChange: (concern: KeyConcern | undefined) => void;
}

/** How many active keys are laxer than they might be; each number filters the list. Nothing without keys. */
function HygieneFilters({ concern, onChange }: HygieneFiltersProps) {
  const { t } = useTranslation('keys');
  const format = useFormat();
  const { data } = useQuery(hygieneQuery(useTenant().slug));
  if (!data || data.active === 0) return null;
  return (
    <section aria-label={t('hygiene.label')}>
      <Hint mb={6}>
        {t('hygiene.among', { count: data.active, formatted: format.count(data.active) })}
      </Hint>
      <SimpleGrid minColWidth="8.5rem" autoFlow="auto-fit" spacing="xs">
        {KEY_CONCERNS.map((each) => (
          <UnstyledButton
            key={each}
            px="sm"
            py="xs"
            bg="var(--page-raised)"
            bd={`1px solid ${concern === each ? 'var(--mantine-primary-color-filled)' : 'var(--page-line)'}`}
            bdrs="md"
            {...(data[each] === 0 && { c: 'dimmed' })}
            aria-pressed={concern === each}
            onClick={() => onChange(concern === each ? undefined : each)}
          >
            <Text fw={650} size="lg">
              {format.count(data[each])}
            </Text>
            <Text size="xs">{t(`hygiene.${each}`)}</Text>
          </UnstyledButton>
        ))}
      </SimpleGrid>
    </section>
  );
}
