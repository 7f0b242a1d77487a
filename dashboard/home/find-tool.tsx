import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { suggestionsQuery, type ToolCard } from '../catalogue/catalogue-queries.ts';
import { ToolGrid } from '../catalogue/tool-grid.tsx';
import { LinkAnchor } from '../shared/link-anchor.tsx';
import classes from './home-page.module.css';

const DEBOUNCE_MS = 200;
const SHOWN = 6;
/** Tools from which those that are shown without words are picked. */
const ALL = 100;
const MAX_WORDS = 200;

/** A search over the public tools, with the best of them. */
export function FindTool() {
  const { t } = useTranslation('home');
  const [text, setText] = useState('');
  const [words] = useDebouncedValue(text.trim(), DEBOUNCE_MS);
  const found = useQuery({
    ...suggestionsQuery(null, words, words ? SHOWN : ALL),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <search className={classes.search}>
        <TextInput
          size="md"
          type="search"
          value={text}
          maxLength={MAX_WORDS}
          onChange={({ currentTarget: { value } }) => setText(value)}
          aria-label={t('find.label')}
          placeholder={t('find.placeholder')}
          leftSection={<IconSearch size={18} stroke={1.6} aria-hidden />}
        />
      </search>
      <ToolGrid
        tools={found.data && pickOfEach(found.data.tools)}
        isRanked
        empty={t('find.nothing')}
      />
      {found.data && found.data.total > SHOWN && (
        <LinkAnchor
          to="/admin/catalogue"
          search={words ? { q: words } : {}}
          size="sm"
          className={classes.all}
        >
          {t('find.all', { count: found.data.total })}
        </LinkAnchor>
      )}
    </>
  );
}

/** The first tools as they are ranked; of a longer list, the same number of each category. */
function pickOfEach(tools: readonly ToolCard[]): readonly ToolCard[] {
  if (tools.length <= SHOWN) return tools;
  const categories = [...Map.groupBy(tools, ({ category }) => category).values()];
  const each = Math.ceil(SHOWN / categories.length);
  return categories.flatMap((group) => group.slice(0, each)).slice(0, SHOWN);
}
