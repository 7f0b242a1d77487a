import { ActionIcon, Group, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

/** Where one is in a list with cursors. */
export interface CursorPaging {
  /** Undefined on the first page. */
  readonly cursor: string | undefined;
  /** Counts from 1. */
  readonly page: number;
  readonly previous: () => void;
  readonly next: (cursor: string) => void;
}

/** Remembers the cursors of the pages before. It starts again at the first page when `key` changes, as filters do. */
export function useCursorPaging(key = ''): CursorPaging {
  const [{ forKey, cursors }, set] = useState<{ forKey: string; cursors: readonly string[] }>({
    forKey: key,
    cursors: [],
  });
  const current = forKey === key ? cursors : [];
  return {
    cursor: current.at(-1),
    page: current.length + 1,
    previous: () => set({ forKey: key, cursors: current.slice(0, -1) }),
    next: (cursor) => set({ forKey: key, cursors: [...current, cursor] }),
  };
}

export interface PagingProps {
  readonly paging: CursorPaging;
  /** The cursor of the next page; null on the last one, undefined while it is loaded. */
  readonly nextCursor: string | null | undefined;
}

/** Buttons to the page before and the next one; nothing for a list of one page. */
export function Paging({ paging, nextCursor }: PagingProps) {
  const { t } = useTranslation('shared');
  if (paging.page === 1 && !nextCursor) return null;
  return (
    <Group justify="flex-end" gap="xs" mt="sm">
      <Text size="sm" c="dimmed" aria-live="polite">
        {t('table.page', { page: paging.page })}
      </Text>
      <ActionIcon
        variant="default"
        size="lg"
        disabled={paging.page === 1}
        onClick={paging.previous}
        aria-label={t('table.previous')}
      >
        <IconChevronLeft size={18} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="default"
        size="lg"
        disabled={!nextCursor}
        onClick={() => nextCursor && paging.next(nextCursor)}
        aria-label={t('table.next')}
      >
        <IconChevronRight size={18} aria-hidden />
      </ActionIcon>
    </Group>
  );
}
