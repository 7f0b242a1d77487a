import { ActionIcon, Button, Kbd } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Opens the search over tools and pages, as ⌘K does. */
export function SearchButton({ onOpen }: { readonly onOpen: () => void }) {
  const { t } = useTranslation();
  return (
    <>
      <Button
        variant="default"
        size="xs"
        fz="sm"
        onClick={onOpen}
        visibleFrom="sm"
        fw={400}
        leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
        rightSection={<Kbd size="xs">{isApple ? '⌘K' : 'Ctrl K'}</Kbd>}
      >
        {t('search.open')}
      </Button>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        hiddenFrom="sm"
        onClick={onOpen}
        aria-label={t('search.open')}
      >
        <IconSearch size={20} stroke={1.6} aria-hidden />
      </ActionIcon>
    </>
  );
}
