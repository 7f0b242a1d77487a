import '@mantine/spotlight/styles.layer.css';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { IconSearch, IconTool } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useLayoutEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { suggestionsQuery } from '../../catalogue/catalogue-queries.ts';
import { usePerson, useTenantInUse } from '../../session/session.ts';
import { isFor, PAGES, SETTINGS } from '../navigation.ts';

const [store, spotlight] = createSpotlight();

export const openSearch = (): void => spotlight.open();

/** What the search finds: pages by their names, tools by what they do. */
function SearchDialog() {
  const { t } = useTranslation();
  const [query, setQuery] = useState('');
  const pages = usePages(query);
  const tools = useFoundTools(query);
  useFirstSelected([pages, tools]);
  return (
    <Spotlight
      store={store}
      actions={[pages, tools].filter(({ actions }) => actions.length > 0)}
      // Everything is already what the query asks for.
      filter={(_, actions) => actions}
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      nothingFound={t('search.nothing')}
      searchProps={{
        leftSection: <IconSearch size={18} aria-hidden />,
        placeholder: t('search.placeholder'),
        'aria-label': t('search.placeholder'),
      }}
      styles={{
        actionBody: { minWidth: 0 },
        actionDescription: { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
      }}
      scrollable
      maxHeight="60vh"
    />
  );
}

/** Enter opens the best match, also when it has just arrived. */
function useFirstSelected(groups: readonly SpotlightActionGroupData[]): void {
  const ids = groups.flatMap(({ actions }) => actions.map(({ id }) => id)).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the actions are in the document once they have changed.
  useLayoutEffect(() => {
    // Mantine marks the selected action like this, but only when the words change.
    for (const [at, action] of document.querySelectorAll('[data-action]').entries()) {
      action.toggleAttribute('data-selected', at === 0);
    }
    store.setState({ ...store.getState(), selected: 0 });
  }, [ids]);
}

function usePages(query: string): SpotlightActionGroupData {
  const { t } = useTranslation();
  const router = useRouter();
  const person = usePerson();
  const wanted = query.trim().toLowerCase();
  const shown = [...PAGES, ...SETTINGS]
    .filter((page) => isFor(page, person) || page.to === '/admin/catalogue')
    .map((page) => ({ ...page, name: t(`navigation.${page.label}`) }))
    .filter(({ name }) => name.toLowerCase().includes(wanted));
  return {
    group: t('search.pages'),
    actions: shown.map(({ to, name, icon: Icon }) => ({
      id: to,
      label: name,
      leftSection: <Icon size={18} stroke={1.6} aria-hidden />,
      onClick: () => void router.navigate({ to }),
    })),
  };
}

// biome-ignore lint/style/noDefaultExport: React.lazy loads default exports only.
export default SearchDialog;

const DEBOUNCE_MS = 150;
const SHOWN = 8;

/** The tools that fit the words best, for the search. */
function useFoundTools(query: string): SpotlightActionGroupData {
  const { t } = useTranslation();
  const router = useRouter();
  const tenant = useTenantInUse()?.slug ?? null;
  const [words] = useDebouncedValue(query.trim().slice(0, 200), DEBOUNCE_MS);
  const { data } = useQuery({
    ...suggestionsQuery(tenant, words, SHOWN),
    enabled: words !== '',
    placeholderData: keepPreviousData,
  });
  const tools = words === '' ? [] : (data?.tools ?? []);
  return {
    group: t('search.tools'),
    actions: tools.map(({ name, title, summary }) => ({
      id: `tool:${name}`,
      label: title ?? name,
      description: `${name} · ${summary}`,
      leftSection: <IconTool size={18} stroke={1.6} aria-hidden />,
      onClick: () => void router.navigate({ to: '/admin/catalogue/$tool', params: { tool: name } }),
    })),
  };
}
