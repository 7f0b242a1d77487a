import { Box, Burger, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { usePerson } from '../session.ts';
import { AccountMenu } from './account-menu.tsx';
import classes from './app-bar.module.css';
import { DisplayMenu } from './display-menu.tsx';
import { Logo } from './logo.tsx';
import { SearchButton } from './search-button.tsx';
import { TenantChooser } from './tenant-chooser.tsx';
import { VisitorLinks } from './visitor-navigation.tsx';

interface AppBarProps {
  readonly isMenuOpen: boolean;
  readonly onToggleMenu: () => void;
  readonly onSearch: () => void;
}

export function AppBar({ isMenuOpen, onToggleMenu, onSearch }: AppBarProps) {
  const { t } = useTranslation();
  const person = usePerson();
  return (
    <Group h="100%" px="md" gap="sm" wrap="nowrap">
      <Burger
        opened={isMenuOpen}
        onClick={onToggleMenu}
        hiddenFrom="md"
        size="sm"
        aria-label={t(isMenuOpen ? 'navigation.close' : 'navigation.open')}
        aria-expanded={isMenuOpen}
        aria-controls="navigation"
      />
      <Link to="/admin" className={classes.product} aria-label={t('navigation.home')}>
        <Logo />
        <Box component="span" className={classes.name}>
          {t('product')}
        </Box>
      </Link>
      {person ? <TenantChooser /> : <VisitorLinks />}
      <Group ml="auto" gap="xs" wrap="nowrap">
        <SearchButton onOpen={onSearch} />
        <DisplayMenu />
        <AccountMenu />
      </Group>
    </Group>
  );
}
