import { useDebouncedValue } from '@mantine/hooks';
import type { SpotlightActionGroupData } from '@mantine/spotlight';
import { IconTool } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { suggestionsQuery } from '../../catalogue/catalogue-queries.ts';
import { useTenantInUse } from '../tenant-in-use.ts';

const DEBOUNCE_MS = 150;
const SHOWN = 8;

/** The tools that fit the words best, for the search. */
export function useFoundTools(query: string): SpotlightActionGroupData {
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
