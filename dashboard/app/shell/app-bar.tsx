import {
  ActionIcon,
  Avatar,
  Box,
  Burger,
  Button,
  Group,
  Kbd,
  Menu,
  UnstyledButton,
} from '@mantine/core';
import { IconLogout, IconSearch, IconUser } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { usePerson } from '../../session/session.ts';
import { icon, LinkAnchor, LinkButton } from '../../shared/buttons.tsx';
import { useSignOut } from '../sign-out.ts';
import { DisplayMenu } from './display-menu.tsx';
import { VisitorLinks } from './navigation.tsx';
import { TenantChooser } from './tenant-chooser.tsx';

/** The bar of a page that asks for one decision: nothing leads away from it but the product's name. */
export const PlainAppBar = () => (
  <Group h="100%" px="md" gap="sm" wrap="nowrap">
    <Home />
    <Box ml="auto">
      <DisplayMenu />
    </Box>
  </Group>
);

function Home() {
  const { t } = useTranslation();
  return (
    <LinkAnchor
      to="/admin"
      display="flex"
      c="inherit"
      fw={650}
      underline="never"
      style={{ alignItems: 'center', gap: '0.6rem', flexShrink: 0, whiteSpace: 'nowrap' }}
      aria-label={t('navigation.home')}
    >
      <Logo />
      <Box component="span" visibleFrom="sm">
        {t('product')}
      </Box>
    </LinkAnchor>
  );
}

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
      <Home />
      {person ? <TenantChooser /> : <VisitorLinks />}
      <Group ml="auto" gap="xs" wrap="nowrap">
        <SearchButton onOpen={onSearch} />
        <DisplayMenu />
        <AccountMenu />
      </Group>
    </Group>
  );
}

function AccountMenu() {
  const { t } = useTranslation();
  const person = usePerson();
  const signOut = useSignOut();
  if (!person) {
    return (
      <LinkButton to="/admin/sign-in" size="xs" fz="sm" px="md">
        {t('account.signIn')}
      </LinkButton>
    );
  }
  const name = person.name || person.email;
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton aria-label={t('account.menu', { name })}>
          <Avatar size={32} color="celadon" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('account.signedInAs', { email: person.email })}</Menu.Label>
        <Menu.Item component={Link} to="/admin/settings/account" leftSection={icon(IconUser)}>
          {t('account.settings')}
        </Menu.Item>
        <Menu.Item onClick={() => signOut.mutate()} leftSection={icon(IconLogout)}>
          {t('account.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Opens the search over tools and pages, as ⌘K does. */
function SearchButton({ onOpen }: { readonly onOpen: () => void }) {
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

/** The picture of `icon.svg`. */
const Logo = () => (
  <svg width={28} height={28} viewBox="0 0 32 32" fill="none" strokeWidth={3} aria-hidden>
    <rect width={32} height={32} rx={8} fill="#0f6b5b" />
    <path d="M8 24V14.5a8 8 0 0 1 16 0V24" stroke="#fff" strokeLinecap="round" />
    <path d="M16 24v-8.5" stroke="#80d1b8" strokeLinecap="round" />
  </svg>
);
